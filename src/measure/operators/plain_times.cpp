#include "measure/operators/plain_times.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "base/statistics/statistics.h"
#include "measure/operators/stretches.h"
#include "measure/timing/measure.h"

namespace takt {
namespace {

constexpr double cut_off = 0.25;  // of the samples at either end
// No runtime's record costs more, so an operator that was seen for longer did take time.
constexpr double dearest_record = 20'000;
// Without its record an operator takes about the share of the run that it has with it; what is so far from it in either
// direction comes from other programs, and stretches that say it of a good part of the run are worth nothing.
constexpr double farthest = 2, much = 0.1;

double centre(const std::vector<Nanoseconds>& samples) { return trimmed_mean(samples, cut_off).value_or(0); }

/// Of an operator: one that runs in few runs only (a rare branch) would be cut off whole.
double centre(const OpRow& row, double runs) {
  const double middle = centre(row.samples);
  return middle > 0 ? middle : static_cast<double>(row.total.count()) / runs;
}

/// An operator while the estimate is made; in ns per run.
struct Estimate {
  double calls = 0, recorded = 0, error = 0;  ///< error: 95 % of the centre's, from its samples
  double plain = 0;
  Interval interval;
  bool from_records = false;  ///< the plain runs cannot tell it
};

double error_of(const std::vector<Nanoseconds>& samples, double middle) {
  std::vector<double> near;  // what the centre is made of, roughly
  for (const Nanoseconds sample : samples)
    if (const auto value = static_cast<double>(sample.count()); value <= 2 * middle) near.push_back(value);
  const auto spread = variance(near);
  return spread ? 1.96 * std::sqrt(*spread / static_cast<double>(near.size())) : 0;
}

class PlainTimes {
 public:
  PlainTimes(const RunResult& result, OpProfile& profile)
      : result_(result), profile_(profile), runs_(static_cast<double>(std::max<std::int64_t>(1, profile.runs))) {
    for (const OpRow& row : profile_.ops) {
      Estimate& one = estimates_.emplace_back();
      one.calls = static_cast<double>(row.calls) / runs_;
      one.recorded = centre(row, runs_);
      one.error = error_of(row.samples, one.recorded);
      calls_ += one.calls;
    }
  }

  void add() {
    take_records_out();
    const auto of_records = estimates_;
    if (!result_.stretches.empty()) apply_stretches();
    if (doubtful_share() > much) estimates_ = of_records;
    take_doubtful_from_records();
    const auto mean_of_plain = summarize(result_.plain->samples)->mean;
    const double scale = plain_ > 0 ? mean_of_plain.count() * 1000 / plain_ : 0;  // from centres to means
    Duration told{};
    for (std::size_t i = 0; i < estimates_.size(); ++i) {
      OpRow& row = profile_.ops[i];
      const Estimate& one = estimates_[i];
      row.plain_mean = microseconds(one.plain * scale);
      row.plain_from_records = one.from_records;
      row.plain_interval = {one.interval.low * scale / 1000, one.interval.high * scale / 1000, one.interval.confidence};
      told += *row.plain_mean;
    }
    profile_.plain_mean = mean_of_plain;
    const Duration rest = mean_of_plain - told;
    // What summing rounds off is nobody's time, and would be shown with as many digits as it takes to see it.
    profile_.plain_unattributed = std::abs(rest.count()) < 1e-9 * mean_of_plain.count() ? Duration{} : rest;
  }

 private:
  static Duration microseconds(double nanoseconds) { return Duration(nanoseconds / 1000); }

  /// What the records cost that all operators together are left with what they take in a plain run; its interval from
  /// the alternating blocks of the two passes.
  void take_records_out() {
    plain_ = centre(result_.plain->samples);
    if (result_.profiled->device_clock) return take_as_they_are();
    const double rest = std::clamp(centre(profile_.unattributed_samples), 0.0, plain_);
    std::vector<std::size_t> all(estimates_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const auto measured = profiling_cost(*result_.plain, *result_.profiled);
    const bool is_noise = !measured || (measured->interval ? measured->interval->low <= 1 : measured->ratio < 1.05);
    const double cost = share_out(all, plain_ - rest, is_noise);
    Interval costs{cost, cost, 0.95};
    if (measured && measured->interval && calls_ > 0) {
      costs.low = std::clamp((measured->interval->low - 1) * plain_ / calls_, 0.0, cost);
      costs.high = std::max(cost, (measured->interval->high - 1) * plain_ / calls_);
    }
    for (Estimate& one : estimates_) {
      one.interval.low = std::max(0.0, one.plain - (costs.high - cost) * one.calls - one.error);
      one.interval.high = one.plain + (cost - costs.low) * one.calls + one.error;
    }
    take_from_totals(cost);
  }

  /// A device's own clock does not feel records: what they cost the host is in what the device waited for.
  void take_as_they_are() {
    double all = 0;
    for (const Estimate& one : estimates_) all += one.recorded;
    const double fit = all > plain_ ? plain_ / all : 1;
    for (Estimate& one : estimates_) {
      one.plain = one.recorded * fit;
      one.interval = {std::max(0.0, one.plain - one.error), one.plain + one.error, 0.95};
    }
  }

  /// Gives `members` together `time`, each what was recorded less the same cost for each of its records, and none less
  /// than nothing. Returns that cost; 0, and all in proportion, where the records are shorter or `in_proportion` is
  /// asked.
  double share_out(const std::vector<std::size_t>& members, double time, bool in_proportion) {
    const auto left_at = [&](double cost) {
      double sum = 0;
      for (const std::size_t i : members) sum += std::max(0.0, estimates_[i].recorded - cost * estimates_[i].calls);
      return sum;
    };
    const double recorded = left_at(0);
    double low = 0, high = 0;
    for (const std::size_t i : members)
      if (estimates_[i].calls > 0) high = std::max(high, estimates_[i].recorded / estimates_[i].calls);
    if (in_proportion || recorded <= time) high = 0;
    for (int step = 0; step < 60 && high > 0; ++step) {  // what is left falls as the cost rises
      const double middle = (low + high) / 2;
      (left_at(middle) > time ? low : high) = middle;
    }
    const double left = left_at(high), fit = left > 0 ? time / left : 0;
    for (const std::size_t i : members)
      estimates_[i].plain = std::max(0.0, estimates_[i].recorded - high * estimates_[i].calls) * fit;
    return high;
  }

  double recorded_in_all() const {
    double sum = 0;
    for (const Estimate& one : estimates_) sum += one.recorded;
    return sum;
  }

  /// Less is known of its time than that it took some: of one that is long beside any record.
  bool is_doubtful(const Estimate& one) const {
    const double seen = one.recorded - dearest_record * one.calls, all = recorded_in_all();
    if (seen <= 0 || all <= 0) return false;
    const double in_proportion = std::min(1.0, plain_ / all);
    return one.interval.high - one.interval.low > one.plain || one.plain * farthest < seen * in_proportion ||
           one.plain > farthest * one.recorded * std::max(1.0, plain_ / all);
  }

  double doubtful_share() const {
    double doubtful = 0;
    for (const Estimate& one : estimates_) doubtful += is_doubtful(one) ? one.recorded : 0;
    const double all = recorded_in_all();
    return all > 0 ? doubtful / all : 0;
  }

  /// They have their recorded times; all rows together take what they took before, so that the table still adds up.
  void take_doubtful_from_records() {
    double before = 0, now = 0;
    for (Estimate& one : estimates_) {
      before += one.plain;
      if (is_doubtful(one)) one.from_records = true;
    }
    for (Estimate& one : estimates_) {
      if (one.from_records) {
        one.plain = one.recorded;
        one.interval = {std::max(0.0, one.recorded - one.error), one.recorded + one.error, 0.95};
      }
      now += one.plain;
    }
    const auto has_records = [](const Estimate& one) { return one.from_records; };
    if (std::none_of(estimates_.begin(), estimates_.end(), has_records)) return;
    const double fit = std::min(std::max(before / now, 1 / farthest), plain_ / now);  // no more than the whole run
    for (Estimate& one : estimates_) one.plain *= fit, one.interval.low *= fit, one.interval.high *= fit;
  }

  void take_from_totals(double cost) {
    for (OpRow& row : profile_.ops) {
      const Nanoseconds all(std::llround(cost * static_cast<double>(row.calls)));
      row.record_cost = std::min(row.total, all);
      profile_.recording += row.record_cost;
    }
  }

  void apply_stretches() {
    std::unordered_map<std::string_view, std::size_t> stretches;
    for (std::size_t s = 0; s < result_.stretches.size(); ++s)
      for (const std::string& op : result_.stretches[s].ops) stretches.emplace(op, s);
    std::vector<std::vector<std::size_t>> members(result_.stretches.size());
    for (std::size_t i = 0; i < estimates_.size(); ++i)
      if (const auto found = stretches.find(profile_.ops[i].node); found != stretches.end())
        members[found->second].push_back(i);
    double all = 0;
    for (const Stretch& stretch : result_.stretches) all += share_of(stretch);
    if (all <= 0) return;
    for (std::size_t s = 0; s < members.size(); ++s) apply(result_.stretches[s], members[s], plain_ / all);
  }

  static double share_of(const Stretch& stretch) { return std::max(0.0, median(stretch.shares).value_or(0)); }

  /// `scale`: from shares to ns. An operator alone in its stretch is as sure as that; others are as sure as their
  /// records.
  void apply(const Stretch& stretch, const std::vector<std::size_t>& members, double scale) {
    const double took = share_of(stretch) * scale;
    share_out(members, took, false);
    const auto interval = bootstrap_median(stretch.shares);
    for (const std::size_t i : members) {
      Estimate& one = estimates_[i];
      const double part = took > 0 ? one.plain / took : 0, own = members.size() > 1 ? one.error : 0;
      one.interval.low = std::max(0.0, (interval ? std::max(0.0, interval->low) * scale : took) * part - own);
      one.interval.high = (interval ? std::max(0.0, interval->high) * scale : took) * part + own;
    }
  }

  const RunResult& result_;
  OpProfile& profile_;
  double runs_, calls_ = 0, plain_ = 0;
  std::vector<Estimate> estimates_;  ///< of profile_.ops
};

}  // namespace

void add_plain_times(const RunResult& result, OpProfile& profile) {
  if (!result.plain || !result.profiled || result.plain->samples.empty() || result.profiled->samples.empty()) return;
  if (result.throughput || !result.instances.empty()) return;  // plain times of runs beside others, recorded ones alone
  PlainTimes(result, profile).add();
}

}  // namespace takt
