#include "machine/roofline.h"

#include <algorithm>

namespace takt {
namespace {

double best_of(const PeakPair& pair, bool one_thread) { return one_thread ? pair.one.best : pair.all.best; }

/// A level is at least as fast as those behind it; where a measurement says otherwise it was disturbed.
double bandwidth(double bytes, bool one_thread, const Peaks& peaks) {
  double best = 0;
  for (auto level = peaks.levels.rbegin(); level != peaks.levels.rend(); ++level) {
    const auto& room = one_thread ? level->bytes_one : level->bytes_all;
    if (room && bytes / 2 > static_cast<double>(*room)) break;
    best = std::max({best, best_of(level->read, one_thread), best_of(level->copy, one_thread)});
  }
  return best;
}

}  // namespace

std::string_view bound_name(Bound bound) {
  return bound == Bound::compute ? "compute bound" : bound == Bound::memory ? "memory bound" : "overhead bound";
}

std::optional<double> intensity(const OpRate& rate) {
  if (!rate.flops || !rate.bytes || *rate.bytes <= 0) return std::nullopt;
  return *rate.flops / *rate.bytes;
}

std::optional<Roofline> roofline(const OpRate& rate, const Peaks& peaks) {
  const double seconds = rate.time.count() / 1e6;
  if (!rate.flops || !rate.bytes || !(seconds > 0) || (*rate.flops <= 0 && *rate.bytes <= 0)) return std::nullopt;
  if (rate.bf16 && !peaks.bf16) return std::nullopt;
  const double flops_per_s = best_of(rate.bf16 ? *peaks.bf16 : peaks.f32, rate.one_thread);
  const double bytes_per_s = bandwidth(*rate.bytes, rate.one_thread, peaks);
  if (!(flops_per_s > 0) || !(bytes_per_s > 0)) return std::nullopt;
  const double computing = *rate.flops / flops_per_s, moving = *rate.bytes / bytes_per_s;
  const double share = std::max(computing, moving) / seconds;
  const Bound nearer = computing >= moving ? Bound::compute : Bound::memory;
  return Roofline{share * overhead_factor < 1 ? Bound::overhead : nearer, share};
}

}  // namespace takt
