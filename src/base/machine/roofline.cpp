#include "base/machine/roofline.h"

#include <fmt/format.h>

#include <algorithm>

namespace takt {
namespace {

// The clock may be higher than while the peaks were measured.
constexpr double clock_tolerance = 1.05;

}  // namespace

std::optional<MovedBytes> moved_bytes_of(const OpRate& rate) {
  if (!rate.bytes) return std::nullopt;
  const double constants = std::clamp(rate.constants.value_or(0), 0.0, *rate.bytes);
  return MovedBytes{constants, *rate.bytes - constants};
}

std::string_view bound_name(Bound bound) {
  return bound == Bound::compute ? "compute bound" : bound == Bound::memory ? "memory bound" : "overhead bound";
}

std::optional<double> intensity(const OpRate& rate) {
  if (!rate.flops || !rate.bytes || *rate.bytes <= 0) return std::nullopt;
  return *rate.flops / *rate.bytes;
}

std::optional<Roofline> roofline(const OpRate& rate, const WorkingSet& model, const Peaks& peaks) {
  const auto moved = moved_bytes_of(rate);
  const Duration time = rate.usual_time.value_or(rate.time);
  if (!rate.flops || !moved || !(time.count() > 0) || (*rate.flops <= 0 && *rate.bytes <= 0)) return std::nullopt;
  const ComputePeaks* compute = best_compute(peaks, rate.numbers, rate.one_thread);
  const auto memory = memory_roof(*moved, model, time, rate.one_thread, peaks);
  if (!compute || !memory || !(best_of(compute->rate, rate.one_thread) > 0)) return std::nullopt;
  const Duration computing(*rate.flops / best_of(compute->rate, rate.one_thread) * 1e6);
  const double share = std::max(computing, memory->least) / time;
  const Bound nearer = computing >= memory->least ? Bound::compute : Bound::memory;
  return Roofline{share * overhead_factor < 1 ? Bound::overhead : nearer, share, memory->level};
}

std::string impossible_rates(const OpRate& rate, const Peaks& peaks) {
  const double seconds = rate.time.count() / 1e6;
  if (!(seconds > 0)) return "";
  const auto is_above = [&](const std::optional<double>& amount, double peak) {
    return amount && peak > 0 && *amount / seconds > peak * clock_tolerance;
  };
  const ComputePeaks* compute = best_compute(peaks, rate.numbers, rate.one_thread);
  const bool flops = compute && is_above(rate.flops, best_of(compute->rate, rate.one_thread));
  const bool bytes = is_above(rate.bytes, bandwidth_of(peaks, 0, rate.one_thread));
  return flops && bytes ? "GFLOP/s, GB/s" : flops ? "GFLOP/s" : bytes ? "GB/s" : "";
}

std::string explain_impossible_rates(const Peaks& peaks, bool one_thread) {
  std::string limits;
  for (const NumberType type : {NumberType::f32, NumberType::f16, NumberType::bf16, NumberType::int8})
    if (const ComputePeaks* compute = best_compute(peaks, type, one_thread))
      limits += fmt::format("{:.0f} GFLOP/s in {}, ", best_of(compute->rate, one_thread) / 1e9, name_of(type));
  return fmt::format(
      "Rates marked as above peak exceed the measured peaks of this CPU ({}{:.0f} GB/s): the time is not that of the "
      "row's operators, or the machine was busy when its peaks were measured (takt devices --measure).",
      limits, bandwidth_of(peaks, 0, one_thread) / 1e9);
}

}  // namespace takt
