#include "predict/canary.h"

#include <memory>

#include "core/statistics.h"
#include "machine/peak_kernels.h"

namespace takt {
namespace {

constexpr std::size_t line_bytes = 64;  // of a cache
constexpr double piece_flops = 20e6;
constexpr std::size_t area_bytes = std::size_t{64} << 20, piece_bytes = std::size_t{4} << 20;

volatile double canary_sink;  // results end here, so that no compiler can leave the work out

const ComputeKernel& canary_kernel() {
  for (const ComputeKernel& kernel : compute_kernels())
    if (kernel.type == NumberType::f32) return kernel;
  return portable_compute();
}

template <typename Work>
Nanoseconds time_of(const Work& work) {
  const Nanoseconds begin = steady_now();
  work();
  return steady_now() - begin;
}

}  // namespace

Canary::Canary() : area_(area_bytes + line_bytes, 1) {
  void* begin = area_.data();
  std::size_t space = area_.size();
  begin_ = static_cast<const std::byte*>(std::align(line_bytes, area_bytes, begin, space));
  sing();  // the first one warms up
  computing_.clear(), reading_.clear();
}

void Canary::sing() {
  static const ComputeKernel& kernel = canary_kernel();
  computing_.push_back(time_of([] {
    canary_sink = kernel.run(static_cast<std::int64_t>(piece_flops / kernel.flops_per_round));
  }));
  reading_.push_back(time_of([&] { read_kernel().read(begin_ + at_, piece_bytes, 1); }));
  at_ = (at_ + piece_bytes) % area_bytes;
}

std::optional<CanaryTimes> Canary::times() const {
  const auto computing = trimmed_mean(computing_, 0.1), reading = trimmed_mean(reading_, 0.1);
  if (!computing || !reading) return std::nullopt;
  return CanaryTimes{*computing / 1000, *reading / 1000};
}

}  // namespace takt
