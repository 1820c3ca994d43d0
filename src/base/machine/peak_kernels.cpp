// The portable loops, and the choice among all.
#include "base/machine/peak_kernels.h"

#include <cstring>

namespace takt {
namespace {

constexpr int portable_chains = 12, portable_width = 4;

float portable_fma(std::int64_t rounds) {
  float a[portable_chains][portable_width];
  for (auto& chain : a)
    for (float& value : chain) value = 0.5F;
  for (std::int64_t i = 0; i < rounds; ++i)
    for (auto& chain : a)
      for (float& value : chain) value = value * 0.5F + 0.5F;
  float sum = 0;
  for (const auto& chain : a)
    for (const float value : chain) sum += value;
  return sum / (portable_chains * portable_width);
}

void portable_loads(const std::byte* data, std::size_t bytes, std::size_t repeats) {
  for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    for (std::size_t at = 0; at < bytes; at += 64) {
      std::uint64_t words[8];
      std::memcpy(words, data + at, sizeof words);
      for (const std::uint64_t word : words) asm volatile("" : : "r"(word) : "memory");
    }
}

constexpr ComputeKernel portable{NumberType::f32, "portable", 2.0 * portable_chains* portable_width, portable_fma};
constexpr ReadKernel portable_reader{"portable", portable_loads};

std::vector<ComputeKernel> choose() {
  std::vector<ComputeKernel> kernels;
  x86::add_vector_kernels(kernels);
  x86::add_tile_kernels(kernels);
  if (kernels.empty()) kernels.push_back(portable);
  return kernels;
}

}  // namespace

std::span<const ComputeKernel> compute_kernels() {
  static const std::vector<ComputeKernel> kernels = choose();
  return kernels;
}

const ComputeKernel& float32_kernel() {
  for (const ComputeKernel& kernel : compute_kernels())
    if (kernel.type == NumberType::f32) return kernel;
  return portable;
}

const ReadKernel& read_kernel() {
  static const ReadKernel* found = x86::read_kernel();
  return found ? *found : portable_reader;
}

const ComputeKernel& portable_compute() { return portable; }
const ReadKernel& portable_read() { return portable_reader; }

}  // namespace takt
