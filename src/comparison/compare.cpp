#include "comparison/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "comparison/compare_match.h"
#include "comparison/difference.h"
#include "core/error.h"
#include "core/statistics.h"
#include "core/text.h"

namespace takt {
namespace {

void judge(Change& change, double value, double half, double threshold) {
  change.ratio = std::expm1(value);
  change.low = std::expm1(value - half), change.high = std::expm1(value + half);
  change.verdict = Verdict::same;
  if (std::abs(value) <= half) return;
  if (*change.ratio >= threshold) change.verdict = Verdict::slower;
  if (*change.ratio <= -threshold) change.verdict = Verdict::faster;
}

Duration typical_time(const std::vector<RunLevel>& levels) { return Duration(std::exp(mean_level(levels)) / 1000); }

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
  Comparer(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after,
           const CompareSettings& settings)
      : before_(before), after_(after), settings_(settings) {
    run_freedom_ = static_cast<double>(before.size() + after.size()) - 2;
  }

  Comparison compare() {
    result_.runs_before = before_.size(), result_.runs_after = after_.size();
    gather();
    const double rows = static_cast<double>(differences_.size() + 1);
    tail_ = (1 - settings_.confidence) / 2 / rows;
    compare_whole();
    compare_ops();
    add_shares();
    return std::move(result_);
  }

 private:
  void gather() {
    for (const MatchedOp& op : match_ops(before_, after_)) {
      Change& change = result_.ops.emplace_back();
      change.name = op.name, change.type = op.type;
      if (!op.in_all()) {
        only_somewhere(op, change);
        continue;
      }
      auto found = difference(series_of(op.before), series_of(op.after));
      if (!found) continue;
      change.before = typical_time(found->before), change.after = typical_time(found->after);
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
          if (auto level = run_level(there->samples)) return typical_time({*level});
      return std::nullopt;
    };
    auto missing = [](const RecordedOp* there) { return there == nullptr; };
    change.before = time_in(op.before), change.after = time_in(op.after);
    if (std::all_of(op.before.begin(), op.before.end(), missing)) change.verdict = Verdict::added;
    if (std::all_of(op.after.begin(), op.after.end(), missing)) change.verdict = Verdict::removed;
  }

  void compare_whole() {
    result_.whole.name = "[whole run]";
    result_.whole.share = 1;
    auto profiled =
        difference(series_of(before_, &RecordedProfile::samples), series_of(after_, &RecordedProfile::samples));
    auto plain = difference(series_of(before_, &RecordedProfile::plain_samples),
                            series_of(after_, &RecordedProfile::plain_samples));
    std::optional<Difference> found = plain ? plain : profiled;
    if (!found) {
      result_.notes.push_back("fewer than 5 samples a run: nothing can be said; measure with a larger --iter");
      return;
    }
    std::vector<Difference> alone{*found};
    use_samples(alone[0], std::max(pooled_drift(alone), pooled_drift(differences_)), scatter_share);
    if (run_freedom_ > 0) use_runs(alone, run_freedom_);
    // Plain and profiled runs are two sessions on each side. They are no independent repetition (one process), but what
    // they disagree by is noise for sure.
    if (plain && profiled) alone[0].variance += std::pow(plain->value - profiled->value, 2);
    // A slower program is slower in its fastest runs too; a disturbed one is slower in its slow runs.
    const double fast = mean_level(found->after, &RunLevel::log_fast) - mean_level(found->before, &RunLevel::log_fast);
    // Nor is the whole run steadier from one start of the program to the next than its operators are to each other.
    alone[0].variance += std::pow(found->value - fast, 2) + waiting() + scatter_variance(differences_);
    whole_variance_ = alone[0].variance;
    Change& whole = result_.whole;
    whole.before = typical_time(found->before), whole.after = typical_time(found->after);
    const double half = half_width(whole_variance_, alone[0].freedom, tail_);
    judge(whole, found->value, half, settings_.threshold);
    result_.detectable_whole = std::max(settings_.threshold, std::expm1(half));
  }

  /// Variance for processors that were busy otherwise: a run that waited for a share w of its time may have been slower
  /// by 1/(1 - w), and the next one not.
  double waiting() const {
    double variance = 0;
    for (auto side : {before_, after_})
      for (const RecordedProfile& profile : side)
        variance += std::pow(std::log1p(-std::min(0.99, profile.waiting_share.value_or(0))), 2) /
                    static_cast<double>(side.size() * side.size());
    return variance;
  }

  void compare_ops() {
    const double drift = pooled_drift(differences_);
    for (Difference& op : differences_) use_samples(op, drift, 0);
    if (run_freedom_ > 0) use_runs(differences_, run_freedom_);
    const Shared shared = shared_change(differences_);
    const bool whole_changed = result_.whole.verdict == Verdict::slower || result_.whole.verdict == Verdict::faster;
    const double state = run_freedom_ > 0 ? 0 : half_width_of_state(differences_, tail_);
    std::vector<double> detectable;
    for (std::size_t i = 0; i < differences_.size(); ++i) {
      const Difference& op = differences_[i];
      double variance = op.variance * shared.scale * shared.scale;
      if (whole_changed || differences_.size() < enough_ops) variance += whole_variance_;
      // An interval that rests on the scatter of the operators is no surer than a median of so many deviations.
      const double few = std::max(4.0, 0.37 * static_cast<double>(differences_.size()));
      const double freedom = shared.scale > 1.3 ? std::min(op.freedom, few) : op.freedom;
      double half = std::max(half_width(variance, freedom, tail_), state);
      if (!whole_changed) half += std::abs(shared.value);
      judge(result_.ops[rows_[i]], op.value, half, settings_.threshold);
      detectable.push_back(std::max(settings_.threshold, std::expm1(half)));
    }
    if (!detectable.empty()) result_.detectable_op = median(detectable).value_or(0);
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
  double run_freedom_ = 0, tail_ = 0.025, whole_variance_ = 0;
  Comparison result_;
  std::vector<Difference> differences_;
  std::vector<std::size_t> rows_;  ///< of `differences_` in result_.ops
};

std::string names_of(std::span<const RecordedProfile> side) {
  std::vector<std::string> names;
  for (const auto& profile : side) names.push_back(profile.origin);
  return fmt::format("{}", fmt::join(names, ","));
}

struct Trait {
  std::string_view plural;
  std::string RecordedProfile::*value;
  bool must_agree;
};

constexpr std::array<Trait, 6> traits = {{
    {"models", &RecordedProfile::model, true},
    {"runtimes", &RecordedProfile::runtime, true},
    {"devices", &RecordedProfile::device, true},
    {"versions of the runtime", &RecordedProfile::runtime_version, false},
    {"machines", &RecordedProfile::host, false},
    {"processors", &RecordedProfile::cpu, false},
}};

/// Sentences about what differs between the profiles; throws on what must not.
std::vector<std::string> check_comparable(std::span<const RecordedProfile> before,
                                          std::span<const RecordedProfile> after, bool force) {
  std::vector<std::string> notes;
  for (const Trait& trait : traits) {
    std::set<std::string> values;
    for (auto side : {before, after})
      for (const auto& profile : side)
        if (!(profile.*trait.value).empty()) values.insert(printable(profile.*trait.value));
    if (values.size() < 2) continue;
    std::string sentence = fmt::format("the {} differ: {}", trait.plural, fmt::join(values, ", "));
    if (trait.must_agree && !force)
      throw Error(ErrorKind::bad_input,
                  fmt::format("compare: {}; give profiles of the same one, or --force to compare anyway", sentence));
    notes.push_back(std::move(sentence));
  }
  return notes;
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
    case Verdict::unknown:
      break;
  }
  return "unknown";
}

Comparison compare_profiles(std::span<const RecordedProfile> before, std::span<const RecordedProfile> after,
                            const CompareSettings& settings, bool force) {
  std::vector<std::string> notes = check_comparable(before, after, force);
  Comparison result = Comparer(before, after, settings).compare();
  result.before = names_of(before), result.after = names_of(after);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
  return result;
}

}  // namespace takt
