// Twelve accumulators: a fused multiply-add takes 4 cycles or 5 and two start per cycle on the CPUs of today, so ten
// must be under way at any time, and sixteen registers hold twelve beside the operands. Values converge to 1, because
// denormals and infinities are slow on some CPUs.
#include "machine/peak_kernels.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace takt {
namespace {

constexpr int chains = 12;

float portable_fma(std::int64_t rounds) {
  constexpr int width = 4;
  float a[chains][width];
  for (auto& chain : a)
    for (float& value : chain) value = 0.5F;
  for (std::int64_t i = 0; i < rounds; ++i)
    for (auto& chain : a)
      for (float& value : chain) value = value * 0.5F + 0.5F;
  float sum = 0;
  for (const auto& chain : a)
    for (const float value : chain) sum += value;
  return sum;
}

std::uint64_t portable_read(const std::byte* data, std::size_t bytes) {
  std::uint64_t sums[8] = {};
  for (std::size_t at = 0; at + 64 <= bytes; at += 64) {
    std::uint64_t words[8];
    std::memcpy(words, data + at, sizeof words);
    for (int i = 0; i < 8; ++i) sums[i] ^= words[i];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all ^= sum;
  return all;
}

constexpr PeakKernels portable{"portable", {2.0 * chains * 4, portable_fma}, std::nullopt, portable_read};

#if defined(__x86_64__)

__attribute__((target("avx2,fma"))) float avx2_fma(std::int64_t rounds) {
  const __m256 half = _mm256_set1_ps(0.5F);
  __m256 a[chains];
  for (auto& chain : a) chain = half;
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) a[c] = _mm256_fmadd_ps(a[c], half, half);
  }
  __m256 sum = a[0];
  for (int c = 1; c < chains; ++c) sum = _mm256_add_ps(sum, a[c]);
  return _mm256_cvtss_f32(sum);
}

__attribute__((target("avx2"))) std::uint64_t avx2_read(const std::byte* data, std::size_t bytes) {
  __m256i sums[8];
  for (auto& sum : sums) sum = _mm256_setzero_si256();
  for (std::size_t at = 0; at < bytes; at += 256) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm256_xor_si256(sums[i], _mm256_load_si256(reinterpret_cast<const __m256i*>(data + at) + i));
  }
  for (int i = 1; i < 8; ++i) sums[0] = _mm256_xor_si256(sums[0], sums[i]);
  return static_cast<std::uint64_t>(_mm256_extract_epi64(sums[0], 0) ^ _mm256_extract_epi64(sums[0], 3));
}

__attribute__((target("avx512f"))) float avx512_fma(std::int64_t rounds) {
  const __m512 half = _mm512_set1_ps(0.5F);
  __m512 a[chains];
  for (auto& chain : a) chain = half;
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) a[c] = _mm512_fmadd_ps(a[c], half, half);
  }
  __m512 sum = a[0];
  for (int c = 1; c < chains; ++c) sum = _mm512_add_ps(sum, a[c]);
  alignas(64) float parts[16];  // g++ 12 warns of its own _mm512_reduce_add_ps
  _mm512_store_ps(parts, sum);
  return parts[0] + parts[15];
}

__attribute__((target("avx512f,avx512bf16"))) float avx512_bf16(std::int64_t rounds) {
  const __m512i ones = _mm512_set1_epi16(0x3c00);  // 2^-7 as bfloat16: sums grow slowly
  __m512bh factor;
  std::memcpy(&factor, &ones, sizeof factor);
  __m512 a[chains];
  for (auto& chain : a) chain = _mm512_setzero_ps();
  for (std::int64_t i = 0; i < rounds; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < chains; ++c) a[c] = _mm512_dpbf16_ps(a[c], factor, factor);
  }
  __m512 sum = a[0];
  for (int c = 1; c < chains; ++c) sum = _mm512_add_ps(sum, a[c]);
  alignas(64) float parts[16];  // g++ 12 warns of its own _mm512_reduce_add_ps
  _mm512_store_ps(parts, sum);
  return parts[0] + parts[15];
}

__attribute__((target("avx512f"))) std::uint64_t avx512_read(const std::byte* data, std::size_t bytes) {
  __m512i sums[8];
  for (auto& sum : sums) sum = _mm512_setzero_si512();
  for (std::size_t at = 0; at < bytes; at += 512) {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i)
      sums[i] = _mm512_xor_si512(sums[i], _mm512_load_si512(data + at + i * std::ptrdiff_t{64}));
  }
  for (int i = 1; i < 8; ++i) sums[0] = _mm512_xor_si512(sums[0], sums[i]);
  alignas(64) std::uint64_t words[8];
  _mm512_store_si512(words, sums[0]);
  return words[0] ^ words[7];
}

constexpr PeakKernels avx2{"AVX2", {2.0 * chains * 8, avx2_fma}, std::nullopt, avx2_read};
constexpr PeakKernels avx512{"AVX-512", {2.0 * chains * 16, avx512_fma}, std::nullopt, avx512_read};
constexpr PeakKernels avx512_with_bf16{
    "AVX-512", {2.0 * chains * 16, avx512_fma}, ComputeKernel{4.0 * chains * 16, avx512_bf16}, avx512_read};

#endif

const PeakKernels& choose() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return __builtin_cpu_supports("avx512bf16") ? avx512_with_bf16 : avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
#endif
  return portable;
}

}  // namespace

const PeakKernels& peak_kernels() {
  static const PeakKernels& chosen = choose();
  return chosen;
}

const PeakKernels& portable_kernels() { return portable; }

}  // namespace takt
