#include "training/trainer/pictures.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/record_function.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <chrono>
#include <cmath>
#include <thread>

namespace takt {
namespace {

constexpr std::int64_t kept_pictures = 64;

/// About a tenth of a microsecond a round, as interpreted arithmetic takes.
double work(int rounds, double from) {
  double sum = from;
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < 4; ++k) sum += std::sin(sum + i);
  }
  return sum;
}

}  // namespace

Pictures::Pictures(std::size_t count, int side, std::uint64_t seed, const Pressure& pressure)
    : count_(count), pressure_(pressure) {
  auto generator = at::detail::createCPUGenerator(seed);
  kept_ = torch::randn({kept_pictures, 3, side, side}, generator);
  labels_ = torch::randint(0, 10, {kept_pictures}, generator, torch::kInt64);
}

torch::data::Example<> Pictures::get(std::size_t index) {
  {
    RECORD_USER_SCOPE("dataset::read");
    if (pressure_.io_sleep_ms > 0)
      std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(pressure_.io_sleep_ms));
  }
  RECORD_FUNCTION("dataset::transform", std::vector<c10::IValue>());
  const auto at = static_cast<std::int64_t>(index) % kept_pictures;
  // What was computed is in the picture, so that nobody leaves the work out; it is too little to matter.
  const double trace = work(pressure_.cpu_work, static_cast<double>(index));
  return {kept_[at] + 1e-12 * trace, labels_[at].clone()};
}

}  // namespace takt
