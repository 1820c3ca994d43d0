#include "predict/fit/launching.h"

#include <algorithm>
#include <cmath>

#include "base/statistics/statistics.h"

namespace takt {
namespace {

constexpr double least_us = 1e-3;         // of whatever a logarithm is taken of
constexpr double pull_to_common = 0.003;  // of kinds of work to each other

/// The numbers of a Launching as one list, all above zero.
class Numbers {
 public:
  explicit Numbers(std::span<const WholeSample> samples) {
    std::vector<double> per_kernel;
    for (const WholeSample& one : samples)
      per_kernel.push_back(one.us / static_cast<double>(std::max<std::size_t>(one.kernels.size(), 1)));
    const double usual = std::max(median(std::span<const double>(per_kernel)).value_or(1), least_us);
    launching_.fixed_us = usual, launching_.us_per_byte = 3e-5;  // some 30 GB/s
    launching_.share_of_work = 0.5;
    launching_.launch_us.fill(0.6 * usual);
    launching_.launch_us.front() = 0.3 * usual;
  }

  static constexpr std::size_t size = host_work_count + 3;
  double& operator[](std::size_t place) {
    switch (place) {
      case 0:
        return launching_.fixed_us;
      case 1:
        return launching_.us_per_byte;
      case 2:
        return launching_.share_of_work;
      default:
        return launching_.launch_us[place - 3];
    }
  }
  const Launching& launching() const { return launching_; }

 private:
  Launching launching_;
};

double loss(std::span<const WholeSample> samples, const Launching& launching) {
  double errors = 0;
  for (const WholeSample& one : samples)
    errors += std::abs(std::log(std::max(launching.whole(one.kernels, one.io_bytes), least_us) / one.us));
  double common = 0, apart = 0;  // of what asks for work: renaming is another thing
  for (std::size_t i = 1; i < host_work_count; ++i) common += std::log(launching.launch_us[i]) / (host_work_count - 1);
  for (std::size_t i = 1; i < host_work_count; ++i) {
    const double distance = std::log(launching.launch_us[i]) - common;
    apart += distance * distance;
  }
  return errors / static_cast<double>(samples.size()) + pull_to_common * apart;
}

}  // namespace

std::string_view name_of(HostWork work) {
  return work == HostWork::renaming ? "renaming"
                                    : name_of(static_cast<KernelGroup>(static_cast<std::size_t>(work) - 1));
}

HostWork host_work_of(const KernelFacts& facts) {
  if (facts[Feature::input_bytes] + facts[Feature::output_bytes] == 0) return HostWork::renaming;
  return static_cast<HostWork>(static_cast<std::size_t>(facts.group) + 1);
}

double Launching::host_us(const KernelTime& kernel) const {
  return launch_us[static_cast<std::size_t>(kernel.work)] + share_of_work * kernel.us;
}

double Launching::whole(std::span<const KernelTime> kernels, double io_bytes) const {
  double host = fixed_us + us_per_byte * io_bytes, device = host;
  for (const KernelTime& kernel : kernels) {
    host += host_us(kernel);
    device = std::max(host, device) + kernel.us;
  }
  return device;
}

Launching fit_launching(std::span<const WholeSample> samples) {
  if (samples.empty()) return {};
  Numbers best(samples);
  double least = loss(samples, best.launching());
  for (double step = 0.5; step > 0.001;) {
    bool found = false;
    for (std::size_t place = 0; place < Numbers::size; ++place)
      for (const double factor : {1 + step, 1 / (1 + step)}) {
        Numbers tried = best;
        tried[place] *= factor;
        const double error = loss(samples, tried.launching());
        if (error < least - 1e-9) least = error, best = tried, found = true;
      }
    if (!found) step /= 2;
  }
  return best.launching();
}

}  // namespace takt
