#include "measure/compare/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/statistics.h"
#include "measure/compare/conditions.h"
#include "measure/compare/difference.h"
#include "measure/compare/disturbance.h"
#include "measure/compare/machine_state.h"
#include "measure/compare/match.h"
#include "measure/compare/memory.h"
#include "measure/compare/speeds.h"

namespace takt {
namespace {

constexpr double worth_a_note = 0.005;  // of what operators share: below, a row's change is that of its times

/// The largest slow-down that the interval leaves possible, as a part of the whole run's time.
double possible_cost(const Change& change) { return std::max(0.0, *change.high) * change.share; }

/// How far the interval reaches below and above the change, in logarithms.
struct Reach {
  double below = 0, above = 0;
};

void judge(Change& change, const Difference& found, const Reach& reach, const CompareSettings& settings) {
  change.ratio = std::expm1(found.value);
  change.low = std::expm1(found.value - reach.below), change.high = std::expm1(found.value + reach.above);
  const bool is_beyond_noise = *change.low > 0 || *change.high < 0;
  if (is_beyond_noise && *change.ratio >= settings.threshold)
    change.verdict = Verdict::slower;
  else if (is_beyond_noise && *change.ratio <= -settings.threshold)
    change.verdict = Verdict::faster;
  else
    change.verdict = possible_cost(change) > settings.limit ? Verdict::inconclusive : Verdict::same;
}

Duration time_of_levels(const std::vector<RunLevel>& levels) { return Duration(std::exp(mean_level(levels)) / 1000); }

Series series_of(std::span<const RecordedProfile> side, std::vector<Nanoseconds> RecordedProfile::*samples) {
  Series series;
  for (const auto& profile : side) series.emplace_back(profile.*samples);
  return series;
}

Series series_of(const std::vector<const RecordedOp*>& side) {
  Series series;
  for (const RecordedOp* op : side) series.emplace_back(op->samples);
  return series;
}

class Comparer {
 public:
  Comparer(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after, const SpeedsOfSides& speeds,
           const CompareSettings& settings)
      : before_(before), after_(after), settings_(settings), disturbance_(log_of_disturbance(before, after)) {
    for (auto side : {before, after})
      for (const RecordedProfile& profile : side) is_virtual_ = is_virtual_ && profile.virtual_clock;
    for (const auto& side : {speeds.before, speeds.after})
      if (side) gap_ = std::max(gap_, side->gap());
  }

  Comparison compare() {
    result_.runs_before = before_.size(), result_.runs_after = after_.size();
    gather();
    add_shares();
    find_variances();
    compare_whole();
    compare_tail();
    compare_ops();
    return std::move(result_);
  }

 private:
  void gather() {
    const MatchedOps matched = match_ops(before_, after_);
    for (const MatchedOp& op : matched.ops) {
      Change& change = result_.ops.emplace_back();
      change.name = op.name, change.type = op.type;
      if (!op.in_all()) {
        only_somewhere(op, change);
        continue;
      }
      auto found = difference(series_of(op.before), series_of(op.after));
      if (!found) continue;
      change.before = time_of_levels(found->before), change.after = time_of_levels(found->after);
      if (op.regrouped) {
        change.verdict = Verdict::regrouped;
        continue;
      }
      differences_.push_back(std::move(*found));
      rows_.push_back(result_.ops.size() - 1);
    }
  }

  void only_somewhere(const MatchedOp& op, Change& change) const {
    auto time_in = [](const std::vector<const RecordedOp*>& side) -> std::optional<Duration> {
      for (const RecordedOp* there : side)
        if (there)
          if (auto level = run_level(there->samples)) return time_of_levels({*level});
      return std::nullopt;
    };
    auto missing = [](const RecordedOp* there) { return there == nullptr; };
    change.before = time_in(op.before), change.after = time_in(op.after);
    if (std::all_of(op.before.begin(), op.before.end(), missing)) change.verdict = Verdict::added;
    if (std::all_of(op.after.begin(), op.after.end(), missing)) change.verdict = Verdict::removed;
  }

  StartScatter starts(const StartScatter& usual) const { return is_virtual_ ? StartScatter{} : usual; }

  /// Plain runs where both sides have them: those are what a user of the model sees.
  void find_whole() {
    for (auto samples : {&RecordedProfile::plain_samples, &RecordedProfile::samples})
      if (whole_.empty())
        if (auto found = difference(series_of(before_, samples), series_of(after_, samples)))
          whole_.push_back(std::move(*found)), samples_ = samples;
  }

  void find_variances() {
    find_whole();
    const double drift = pooled_drift(differences_);
    for (Difference& whole : whole_)
      use_samples(whole, std::max(drift, pooled_drift(whole_)), starts(scatter_of_whole));
    for (Difference& op : differences_) use_samples(op, drift, starts(scatter_of_ops));
    if (one_run_each() && is_virtual_) return;  // which has one state
    if (one_run_each()) return use_scatter(differences_);
    use_runs(whole_, {});
    use_runs(differences_, std::vector<Difference>(differences_));
  }

  bool one_run_each() const { return before_.size() == 1 && after_.size() == 1; }

  /// Where the machine disturbed a side more than the other, it is slower for that reason, and where a side has two
  /// speeds, chance decides which of them is seen: the interval reaches as far as that explains. Three runs and more
  /// show by themselves how much of it reaches them.
  Reach reach(double half) const {
    if (std::min(before_.size(), after_.size()) >= 3) return {half, half};
    return {half + gap_ + std::max(0.0, disturbance_), half + gap_ + std::max(0.0, -disturbance_)};
  }

  void compare_whole() {
    Change& whole = result_.whole;
    whole.name = "[whole run]";
    whole.share = 1;
    if (whole_.empty()) {
      result_.notes.push_back("fewer than 5 samples per run: no change can be tested; measure with a larger --iter");
      return;
    }
    const Difference& found = whole_.front();
    whole.before = time_of_levels(found.before), whole.after = time_of_levels(found.after);
    const double half = half_width(found, (1 - settings_.confidence) / 2 / (differences_.empty() ? 1 : 2));
    judge(whole, found, reach(half), settings_);
    result_.detectable_whole = std::max(settings_.threshold, std::expm1(half));
  }

  /// The slowest runs, where they do otherwise than the typical one.
  void compare_tail() {
    if (!samples_) return;
    auto found = difference(series_of(before_, samples_), series_of(after_, samples_), tail_level);
    if (!found) return;
    std::vector<Difference> slowest{std::move(*found)};
    use_samples(slowest[0], pooled_drift(slowest), starts(scatter_of_tail));
    if (!one_run_each()) use_runs(slowest, {});
    Change tail;
    tail.name = "[slowest 5 %]", tail.share = 1;
    tail.before = time_of_levels(slowest[0].before), tail.after = time_of_levels(slowest[0].after);
    judge(tail, slowest[0], reach(half_width(slowest[0], (1 - settings_.confidence) / 4)), settings_);
    const Change& whole = result_.whole;
    if ((tail.verdict == Verdict::slower && *tail.low > *whole.high) ||
        (tail.verdict == Verdict::faster && *tail.high < *whole.low))
      result_.tail = std::move(tail);
  }

  bool whole_changed() const {
    return result_.whole.verdict == Verdict::slower || result_.whole.verdict == Verdict::faster;
  }

  /// Several runs show what their operators share as well as what each does beside the others. The first is the
  /// machine's where the whole run has not changed beyond what starts differ by; nullopt where that may not be said.
  std::optional<std::vector<Difference>> beside_the_rest(double tail) {
    if (one_run_each() || is_virtual_ || differences_.size() < enough_ops || whole_changed()) return std::nullopt;
    std::vector<Difference> ops = differences_;
    const double shared = take_off_shared(ops);
    use_runs(ops, std::vector<Difference>(ops));
    use_scatter(ops);
    const auto stands_out = [&](const Difference& op) { return std::abs(op.value) > half_width(op, tail); };
    // Beside what, if many do?
    if (3 * static_cast<std::size_t>(std::count_if(ops.begin(), ops.end(), stands_out)) > ops.size())
      return std::nullopt;
    if (std::abs(shared) >= worth_a_note)
      result_.notes.push_back(
          fmt::format("all operators together were {:.1f} % {} after, which is within the run-to-run variation of a "
                      "side: the changes of operators are relative to it",
                      std::abs(std::expm1(shared)) * 100, shared > 0 ? "slower" : "faster"));
    return ops;
  }

  void compare_ops() {
    if (differences_.empty()) return;
    const double tail = (1 - settings_.confidence) / 4 / static_cast<double>(differences_.size());
    if (auto beside = beside_the_rest(tail)) differences_ = std::move(*beside);
    const double shared = one_run_each() && !whole_changed() ? std::abs(shared_change(differences_)) : 0;
    std::vector<double> detectable;
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const double half = half_width(differences_[i], tail) + shared;
      judge(result_.ops[rows_[i]], differences_[i], reach(half), settings_);
      detectable.push_back(std::max(settings_.threshold, std::expm1(half)));
    }
    result_.detectable_op = median(detectable).value_or(0);
  }

  void add_shares() {
    double total = 0;
    for (const Change& op : result_.ops) total += op.before ? op.before->count() : 0;
    if (total <= 0) return;
    for (Change& op : result_.ops) {
      const auto& time = op.before ? op.before : op.after;
      op.share = time ? time->count() / total : 0;
    }
  }

  std::span<const RecordedProfile> before_, after_;
  CompareSettings settings_;
  double disturbance_;
  double gap_ = 0;          ///< logarithm of the slower over the faster speed of a side that has two
  bool is_virtual_ = true;  ///< nothing but the described noise differs between starts
  Comparison result_;
  std::vector<Difference> whole_;                                 ///< one; none: too few samples
  std::vector<Nanoseconds> RecordedProfile::*samples_ = nullptr;  ///< of which `whole_` is; null: none
  std::vector<Difference> differences_;
  std::vector<std::size_t> rows_;  ///< of `differences_` in result_.ops
};

/// Times stay: it is only not told whose doing their difference is.
void withhold(Comparison& comparison, std::string reason) {
  comparison.unlike = std::move(reason);
  const auto is_judged = [](Verdict verdict) {
    return verdict == Verdict::same || verdict == Verdict::slower || verdict == Verdict::faster ||
           verdict == Verdict::inconclusive;
  };
  if (is_judged(comparison.whole.verdict)) comparison.whole.verdict = Verdict::unknown;
  comparison.tail.reset();
  for (Change& op : comparison.ops)
    if (is_judged(op.verdict)) op.verdict = Verdict::unknown;
}

std::string names_of(std::span<const RecordedProfile> side) {
  std::vector<std::string> names;
  for (const auto& profile : side) names.push_back(profile.origin);
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::slower:
      return "slower";
    case Verdict::faster:
      return "faster";
    case Verdict::added:
      return "added";
    case Verdict::removed:
      return "removed";
    case Verdict::regrouped:
      return "regrouped";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

Comparison compare_profiles(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after,
                            const CompareSettings& settings, bool force) {
  std::vector<std::string> notes = differing_conditions(before, after, force);
  const SpeedsOfSides speeds{two_speeds_of(before), two_speeds_of(after)};
  Comparison result = Comparer(before, after, speeds, settings).compare();
  if (auto processors = other_processors(before, after); processors && !force) withhold(result, *processors);
  result.before = names_of(before), result.after = names_of(after);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  for (auto& sentence : notes_on_speeds(speeds)) result.notes.push_back(std::move(sentence));
  for (auto& sentence : what_the_machine_did(before, after)) result.notes.push_back(std::move(sentence));
  for (auto& sentence : changed_memory(before, after)) result.notes.push_back(std::move(sentence));
  return result;
}

}  // namespace takt
