// Loops that reach a core's peaks: what they compute, how much they say it is, and where they read.
#include "base/machine/peak_kernels.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

std::vector<ComputeKernel> all_compute() {
  std::vector<ComputeKernel> kernels{portable_compute()};
  kernels.insert(kernels.end(), compute_kernels().begin(), compute_kernels().end());
  return kernels;
}

TEST(PeakKernels, float_sums_go_from_a_half_to_one) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::f32 && kernel.type != NumberType::f16) continue;
    EXPECT_FLOAT_EQ(kernel.run(0), 0.5F) << kernel.instructions;
    EXPECT_FLOAT_EQ(kernel.run(1), 0.75F) << kernel.instructions;
    EXPECT_NEAR(kernel.run(200), 1, 1e-3) << kernel.instructions;
  }
}

TEST(PeakKernels, sums_of_products_grow_by_the_same_each_round) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::int8 && kernel.type != NumberType::bf16) continue;
    EXPECT_EQ(kernel.run(0), 0) << kernel.instructions;
    EXPECT_GT(kernel.run(10), 0) << kernel.instructions;
    EXPECT_FLOAT_EQ(kernel.run(30), 3 * kernel.run(10)) << kernel.instructions;  // 2^-14 and whole numbers are exact
  }
}

// A sum of int8 products of ones counts them, so the loop's own account of its work can be checked: a lane of a vector
// adds 4 products a round, an element of a tile 64.
TEST(PeakKernels, int8_products_are_as_many_as_they_say) {
  for (const ComputeKernel& kernel : all_compute()) {
    if (kernel.type != NumberType::int8) continue;
    const double products = kernel.instructions == "AMX" ? 64 : 4;
    EXPECT_EQ(kernel.run(5), 5 * products) << kernel.instructions;
    EXPECT_EQ(std::fmod(kernel.flops_per_round, 2 * products), 0) << kernel.instructions;
  }
}

// Twelve sums; of a vector as many numbers as it holds, each a product and its sum, of int8 four for each of 32 bits.
// Of tiles six sums of 16 x 16, each of 32 products of bfloat16 or 64 of int8.
TEST(PeakKernels, operations_of_a_round_are_those_of_its_registers) {
  const std::map<std::pair<NumberType, std::string_view>, double> operations{
      {{NumberType::f32, "portable"}, 96},        {{NumberType::f32, "AVX2"}, 192},
      {{NumberType::f32, "AVX-512"}, 384},        {{NumberType::f16, "AVX-512 FP16"}, 768},
      {{NumberType::bf16, "AVX-512 BF16"}, 768},  {{NumberType::int8, "AVX2"}, 768},
      {{NumberType::int8, "AVX-VNNI"}, 768},      {{NumberType::int8, "AVX-512"}, 1536},
      {{NumberType::int8, "AVX-512 VNNI"}, 1536}, {{NumberType::bf16, "AMX"}, 98'304},
      {{NumberType::int8, "AMX"}, 196'608}};
  for (const ComputeKernel& kernel : all_compute()) {
    const auto known = operations.find({kernel.type, kernel.instructions});
    ASSERT_NE(known, operations.end()) << kernel.instructions;
    EXPECT_EQ(kernel.flops_per_round, known->second) << name_of(kernel.type) << " " << kernel.instructions;
    // 2^-7 times 2^-7 of bfloat16, as often as an element's products.
    const float products = kernel.instructions == "AMX" ? 32 : 2;
    const std::map<NumberType, float> sums{{NumberType::bf16, 3 * products / 16384}, {NumberType::f32, 1 - 1 / 16.0F}};
    if (const auto sum = sums.find(kernel.type); sum != sums.end()) {
      EXPECT_EQ(kernel.run(3), sum->second) << kernel.instructions;
    }
  }
}

/// Of the first processor, as Linux names them.
bool has_flag(const std::string& flag) {
  const auto sets = split(read_file("/proc/cpuinfo"), '\n');
  const auto line = std::find_if(sets.begin(), sets.end(), [](const auto& one) { return one.starts_with("flags"); });
  return line != sets.end() && (*line + " ").find(" " + flag + " ") != std::string::npos;
}

TEST(PeakKernels, are_those_whose_instructions_the_cpu_has) {
  std::vector<std::string> expected;
  if (has_flag("avx2") && has_flag("fma")) {
    const bool wide = has_flag("avx512f");
    if (wide) expected.emplace_back("float32 AVX-512");
    expected.emplace_back("float32 AVX2");
    if (wide && has_flag("avx512_fp16")) expected.emplace_back("float16 AVX-512 FP16");
    if (wide && has_flag("avx512_bf16")) expected.emplace_back("bfloat16 AVX-512 BF16");
    expected.emplace_back(has_flag("avx512_vnni") ? "int8 AVX-512 VNNI"
                          : has_flag("avx_vnni")  ? "int8 AVX-VNNI"
                          : has_flag("avx512bw")  ? "int8 AVX-512"
                                                  : "int8 AVX2");
  } else {
    expected.emplace_back("float32 portable");
  }
  std::vector<std::string> found;
  for (const ComputeKernel& kernel : compute_kernels())
    if (kernel.instructions != "AMX")  // tiles take the system's permission, too
      found.push_back(std::string(name_of(kernel.type)) + " " + std::string(kernel.instructions));
  EXPECT_EQ(found, expected);
  EXPECT_EQ(read_kernel().instructions, has_flag("avx512f") ? "AVX-512" : has_flag("avx2") ? "AVX2" : "portable");
  EXPECT_EQ(portable_read().instructions, "portable");
}

TEST(PeakKernels, float32_is_on_every_cpu) {
  EXPECT_TRUE(std::any_of(compute_kernels().begin(), compute_kernels().end(),
                          [](const ComputeKernel& kernel) { return kernel.type == NumberType::f32; }));
}

/// A page that can be read, and after it one that cannot.
class GuardedPage {
 public:
  GuardedPage() {
    memory_ = static_cast<std::byte*>(mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_, size, PROT_READ);
  }
  ~GuardedPage() { munmap(memory_, 2 * size); }
  GuardedPage(const GuardedPage&) = delete;
  GuardedPage& operator=(const GuardedPage&) = delete;
  static constexpr std::size_t size = 65536;
  const std::byte* data() const { return memory_; }

 private:
  std::byte* memory_;
};

TEST(PeakKernels, reading_reaches_the_end_and_no_further) {
  const GuardedPage page;
  for (const ReadKernel* kernel : {&portable_read(), &read_kernel()}) {
    kernel->read(page.data(), GuardedPage::size, 2);
    EXPECT_DEATH(kernel->read(page.data() + GuardedPage::size - 1024, 2048, 1), "") << kernel->instructions;
  }
}

TEST(PeakKernels, reading_begins_at_the_begin_and_goes_over_all_of_it) {
  constexpr std::size_t size = GuardedPage::size;
  auto* const memory = static_cast<std::byte*>(mmap(nullptr, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(memory + size, size, PROT_READ);
  for (const ReadKernel* kernel : {&portable_read(), &read_kernel()}) {
    kernel->read(memory + size, size, 1);
    EXPECT_DEATH(kernel->read(memory + size - 1024, 2048, 1), "") << kernel->instructions;
    kernel->read(memory, 0, 3);
    kernel->read(memory, size, 0);
  }
  munmap(memory, 2 * size);
}

}  // namespace
}  // namespace takt
