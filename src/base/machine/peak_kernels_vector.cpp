// Vector loops of x86-64. Each function is compiled for its own instructions, so that the program still starts on any
// x86-64, and is called only where the CPU and the system have them.
//
// The multiply-adds are written out, because compilers put moves between those that overwrite a sum, and g++ 12 loses
// 30 % with them. Twelve sums: a multiply-add takes 4 cycles or 5 and two start per cycle on the CPUs of today, so ten
// must be under way at any time, and sixteen registers hold twelve beside the operands. Floating-point values converge
// to 1 or grow slowly, because denormals and infinities are slow on some CPUs.
#include "base/machine/peak_kernels.h"

#include <cstring>

#include "base/basics/half.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace takt::x86 {

#if defined(__x86_64__)

namespace {

constexpr int chains = 12;

/// Without the intrinsics for it, of which g++ 12 itself warns.
template <typename Number, typename Vector>
Number first_of(const Vector& vector) {
  Number first;
  std::memcpy(&first, &vector, sizeof first);
  return first;
}

/// One instruction for each of twelve sums `s` of a vector type, its operands the vector `factor`.
#define TAKT_TWELVE(instruction, s, factor)                                                                        \
  asm volatile(instruction                                                                                         \
               " %12, %12, %0\n\t" instruction " %12, %12, %1\n\t" instruction " %12, %12, %2\n\t" instruction     \
               " %12, %12, %3\n\t" instruction " %12, %12, %4\n\t" instruction " %12, %12, %5\n\t" instruction     \
               " %12, %12, %6\n\t" instruction " %12, %12, %7\n\t" instruction " %12, %12, %8\n\t" instruction     \
               " %12, %12, %9\n\t" instruction " %12, %12, %10\n\t" instruction " %12, %12, %11\n\t"               \
               : "+v"((s)[0]), "+v"((s)[1]), "+v"((s)[2]), "+v"((s)[3]), "+v"((s)[4]), "+v"((s)[5]), "+v"((s)[6]), \
                 "+v"((s)[7]), "+v"((s)[8]), "+v"((s)[9]), "+v"((s)[10]), "+v"((s)[11])                            \
               : "v"(factor))

__attribute__((target("avx2,fma"))) float avx2_fma(std::int64_t rounds) {
  const __m256 half = _mm256_set1_ps(0.5F);
  __m256 s[chains];
  for (auto& sum : s) sum = half;
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("vfmadd132ps", s, half);
  return first_of<float>(s[0]);
}

__attribute__((target("avx2"))) float avx_vnni(std::int64_t rounds) {
  const __m256i ones = _mm256_set1_epi8(1);
  __m256i s[chains];
  for (auto& sum : s) sum = _mm256_setzero_si256();
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("%{vex%} vpdpbusd", s, ones);
  return static_cast<float>(first_of<std::int32_t>(s[0]));
}

__attribute__((target("avx512f"))) float avx512_fma(std::int64_t rounds) {
  const __m512 half = _mm512_set1_ps(0.5F);
  __m512 s[chains];
  for (auto& sum : s) sum = half;
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("vfmadd132ps", s, half);
  return first_of<float>(s[0]);
}

__attribute__((target("avx512f"))) float avx512_f16(std::int64_t rounds) {
  const __m512i half = _mm512_set1_epi32(0x38003800);  // twice 0.5 as float16
  __m512i s[chains];
  for (auto& sum : s) sum = half;
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("vfmadd132ph", s, half);
  return from_half(first_of<std::uint16_t>(s[0]));
}

__attribute__((target("avx512f"))) float avx512_bf16(std::int64_t rounds) {
  const __m512i small = _mm512_set1_epi32(0x3c003c00);  // twice 2^-7 as bfloat16
  __m512 s[chains];
  for (auto& sum : s) sum = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("vdpbf16ps", s, small);
  return first_of<float>(s[0]);
}

__attribute__((target("avx512f"))) float avx512_vnni(std::int64_t rounds) {
  const __m512i ones = _mm512_set1_epi32(0x01010101);
  __m512i s[chains];
  for (auto& sum : s) sum = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < rounds; ++i) TAKT_TWELVE("vpdpbusd", s, ones);
  return static_cast<float>(first_of<std::int32_t>(s[0]));
}

#undef TAKT_TWELVE

/// How int8 is multiplied without instructions of its own: bytes to pairs of 16 bits, to sums of 32 bits.
__attribute__((target("avx2"))) float avx2_int8(std::int64_t rounds) {
  __m256i factor = _mm256_set1_epi8(1);
  const __m256i ones = _mm256_set1_epi16(1);
  __m256i s[chains];
  for (auto& sum : s) sum = _mm256_setzero_si256();
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : s) {
      asm volatile("" : "+x"(factor));  // or the product, always the same, would be made once
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_maddubs_epi16(factor, factor), ones));
    }
  }
  for (int c = 1; c < chains; ++c) s[0] = _mm256_add_epi32(s[0], s[c]);
  return static_cast<float>(first_of<std::int32_t>(s[0])) / chains;
}

__attribute__((target("avx512f,avx512bw"))) float avx512_int8(std::int64_t rounds) {
  __m512i factor = _mm512_set1_epi8(1);
  const __m512i ones = _mm512_set1_epi16(1);
  __m512i s[chains];
  for (auto& sum : s) sum = _mm512_setzero_si512();
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (auto& sum : s) {
      asm volatile("" : "+v"(factor));
      sum = _mm512_add_epi32(sum, _mm512_madd_epi16(_mm512_maddubs_epi16(factor, factor), ones));
    }
  }
  for (int c = 1; c < chains; ++c) s[0] = _mm512_add_epi32(s[0], s[c]);
  return static_cast<float>(first_of<std::int32_t>(s[0])) / chains;
}

/// A load whose result an empty instruction takes: nothing but loads is left in the loop, and none can be left out.
__attribute__((target("avx2"))) void avx2_loads(const std::byte* data, std::size_t bytes, std::size_t repeats) {
  for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    for (const std::byte* at = data; at < data + bytes; at += 512) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) {
        const __m256i word = _mm256_load_si256(reinterpret_cast<const __m256i*>(at) + i);
        asm volatile("" : : "x"(word) : "memory");
      }
    }
}

__attribute__((target("avx512f"))) void avx512_loads(const std::byte* data, std::size_t bytes, std::size_t repeats) {
  for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    for (const std::byte* at = data; at < data + bytes; at += 1024) {
#pragma GCC unroll 16
      for (int i = 0; i < 16; ++i) {
        const __m512i word = _mm512_load_si512(reinterpret_cast<const __m512i*>(at) + i);
        asm volatile("" : : "v"(word) : "memory");
      }
    }
}

constexpr ReadKernel avx2_reader{"AVX2", avx2_loads}, avx512_reader{"AVX-512", avx512_loads};

/// Bits that __builtin_cpu_supports knows in one compiler and not in the other.
struct NewerBits {
  bool avx_vnni = false, avx512_fp16 = false;
};

NewerBits newer_bits() {
  NewerBits bits;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) bits.avx512_fp16 = (d >> 23 & 1) != 0;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) bits.avx_vnni = (a >> 4 & 1) != 0;
  return bits;
}

/// The best way to multiply int8 in vectors: instructions for it, or else the way around.
ComputeKernel int8_kernel(const NewerBits& bits) {
  if (__builtin_cpu_supports("avx512vnni")) return {NumberType::int8, "AVX-512 VNNI", 2.0 * chains * 64, avx512_vnni};
  if (bits.avx_vnni) return {NumberType::int8, "AVX-VNNI", 2.0 * chains * 32, avx_vnni};
  if (__builtin_cpu_supports("avx512bw")) return {NumberType::int8, "AVX-512", 2.0 * chains * 64, avx512_int8};
  return {NumberType::int8, "AVX2", 2.0 * chains * 32, avx2_int8};
}

}  // namespace

// __builtin_cpu_supports asks the system, too, whether it keeps the wide registers.
void add_vector_kernels(std::vector<ComputeKernel>& kernels) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return;
  const NewerBits bits = newer_bits();
  const bool wide = __builtin_cpu_supports("avx512f");
  if (wide) kernels.push_back({NumberType::f32, "AVX-512", 2.0 * chains * 16, avx512_fma});
  kernels.push_back({NumberType::f32, "AVX2", 2.0 * chains * 8, avx2_fma});
  if (wide && bits.avx512_fp16 && __builtin_cpu_supports("avx512bw"))
    kernels.push_back({NumberType::f16, "AVX-512 FP16", 2.0 * chains * 32, avx512_f16});
  if (wide && __builtin_cpu_supports("avx512bf16"))
    kernels.push_back({NumberType::bf16, "AVX-512 BF16", 2.0 * chains * 32, avx512_bf16});
  kernels.push_back(int8_kernel(bits));
}

const ReadKernel* read_kernel() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return &avx512_reader;
  return __builtin_cpu_supports("avx2") ? &avx2_reader : nullptr;
}

#else

void add_vector_kernels(std::vector<ComputeKernel>&) {}
const ReadKernel* read_kernel() { return nullptr; }

#endif

}  // namespace takt::x86
