#include "profile/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/error.h"
#include "core/text.h"
#include "profile/compare_match.h"
#include "profile/compare_statistics.h"

namespace takt {
namespace {

/// Share of the scatter of single samples that a whole run may be off by although nothing changed: what disturbs single
/// samples now may disturb all of them in the next run. Twice that again when samples are seen to depend on each
/// other; operators have the second part only. Set by hundreds of pairs of runs on machines from idle to overloaded
/// (bench/compare.py).
constexpr double scatter_share = 0.5;
/// Degrees of freedom that the other operators' variance counts for among runs.
constexpr double prior_freedom = 4;
/// From one run to the next a machine may change its state (where its virtual processors run, whom it shares caches and
/// memory with): most operators then change by a few percent and some by factors. It shows as scatter of the operators'
/// changes above this many times what independent samples give (1 ± 0.2 by chance); an operator must then stand out
/// from that scatter, whose tails are those of Student's with few degrees. Several runs on each side see it by
/// themselves.
constexpr double state_excess = 1.8;
constexpr double state_freedom = 4;
constexpr std::size_t enough_ops = 8;  ///< to judge an operator by what the others do

using Series = std::vector<std::span<const Nanoseconds>>;  // one per run

/// One time on both sides: levels of its runs, their difference and how sure it is.
struct Difference {
  std::vector<RunLevel> before, after;
  double value = 0;  ///< log(after / before)
  double variance = 0;
  double freedom = 0;
};

double mean_level(const std::vector<RunLevel>& levels, double RunLevel::*value = &RunLevel::log_time) {
  double sum = 0;
  for (const RunLevel& level : levels) sum += level.*value;
  return sum / static_cast<double>(levels.size());
}

std::optional<std::vector<RunLevel>> levels_of(const Series& series) {
  std::vector<RunLevel> levels;
  for (const auto& samples : series) {
    auto level = run_level(samples);
    if (!level) return std::nullopt;
    levels.push_back(*level);
  }
  return levels;
}

std::optional<Difference> difference(const Series& before, const Series& after) {
  auto first = levels_of(before), second = levels_of(after);
  if (!first || !second) return std::nullopt;
  Difference found{std::move(*first), std::move(*second)};
  found.value = mean_level(found.after) - mean_level(found.before);
  return found;
}

/// How many times the variance between blocks exceeds that of independent samples, pooled over operators: one
/// operator's own figure is too unsteady to use alone.
double pooled_drift(const std::vector<Difference>& ops) {
  std::vector<double> excess;
  for (const Difference& op : ops)
    for (const auto* side : {&op.before, &op.after})
      for (const RunLevel& level : *side)
        if (level.shuffled_variance > 0) excess.push_back(level.block_variance / level.shuffled_variance);
  return excess.empty() ? 1 : std::max(1.0, median_of(excess));
}

constexpr double chance_drift = 1.3;  // what the pooled figure reaches by chance

/// 0: samples look independent; towards 1: they depend on each other.
double dependence(double drift) { return std::max(0.0, 1 - chance_drift / drift); }

/// Variance of the difference as far as the runs' own samples tell. What independent samples would give averages out
/// over the blocks of a run; drift beyond that does not.
void use_samples(Difference& op, double drift, double share) {
  share += 2 * scatter_share * dependence(drift);
  op.variance = op.freedom = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side) {
      // An operator's own drift counts where it is beyond the 1 in 1000 value of F(9, many).
      const bool own = level.block_variance > 3.1 * level.shuffled_variance;
      const double between_blocks =
          std::max(drift * level.shuffled_variance, own ? level.block_variance : level.shuffled_variance);
      // Samples that depend on each other count as their blocks.
      op.freedom += dependence(drift) > 0 ? level.blocks - 1 : static_cast<double>(level.count) / 2 - 1;
      const double slow = std::max(0.0, between_blocks - chance_drift * level.shuffled_variance);
      op.variance += (between_blocks / level.blocks + slow + std::pow(share * level.spread, 2)) /
                     static_cast<double>(side->size() * side->size());
    }
}

/// Variance of the difference if samples were independent of each other.
double independent_variance(const Difference& op) {
  double variance = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side)
      variance += level.shuffled_variance / level.blocks / static_cast<double>(side->size() * side->size());
  return variance;
}

/// Variance between the runs of one side, both sides pooled.
double between_runs(const Difference& op, double freedom) {
  double sum = 0;
  for (const auto* side : {&op.before, &op.after})
    for (const RunLevel& level : *side) sum += std::pow(level.log_time - mean_level(*side), 2);
  return sum / freedom;
}

/// Several runs: their own variance, steadied by the median operator's.
void use_runs(std::vector<Difference>& ops, double freedom) {
  std::vector<double> all;
  for (const Difference& op : ops) all.push_back(between_runs(op, freedom));
  const double prior = median_of(all);
  for (Difference& op : ops) {
    const double moderated = (prior_freedom * prior + freedom * between_runs(op, freedom)) / (prior_freedom + freedom);
    const double of_means =
        moderated * (1.0 / static_cast<double>(op.before.size()) + 1.0 / static_cast<double>(op.after.size()));
    op.variance = std::max(op.variance, of_means);
    op.freedom = prior_freedom + freedom;
  }
}

/// What all operators share, and how their scatter around it compares with what their own samples promise (at least 1).
struct Shared {
  double value = 0, scale = 1;
};

Shared shared_change(const std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return {};
  std::vector<double> values, scatter;
  for (const Difference& op : ops) values.push_back(op.value);
  Shared shared{median_of(values), 1};
  for (const Difference& op : ops)
    if (op.variance > 0) scatter.push_back(std::abs(op.value - shared.value) / std::sqrt(op.variance));
  shared.scale = std::max(1.0, 1.4826 * median_of(scatter));
  return shared;
}

/// Robust variance of the operators' changes around what they share, seen without any help from samples.
double scatter_variance(const std::vector<Difference>& ops) {
  if (ops.size() < enough_ops) return 0;
  std::vector<double> values, deviations;
  for (const Difference& op : ops) values.push_back(op.value);
  const double shared = median_of(values);
  for (double value : values) deviations.push_back(std::abs(value - shared));
  return std::pow(1.4826 * median_of(deviations), 2);
}

double half_width(double variance, double freedom, double tail) {
  return student_quantile(freedom, tail) * std::sqrt(variance);
}

/// What a machine that was in another state does to single operators, as the half width of an interval; 0 where the
/// scatter of the operators' changes is what their samples explain.
double half_width_of_state(const std::vector<Difference>& ops, double tail) {
  const double scatter = scatter_variance(ops);
  std::vector<double> expected;
  for (const Difference& op : ops) expected.push_back(std::sqrt(independent_variance(op)));
  if (std::sqrt(scatter) < state_excess * median_of(expected)) return 0;
  return half_width(scatter, state_freedom, tail);
}

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
    if (!detectable.empty()) result_.detectable_op = median_of(detectable);
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
  std::string_view what;
  std::string RecordedProfile::*value;
  bool must_agree;
};

constexpr std::array<Trait, 6> traits = {{
    {"model", &RecordedProfile::model, true},
    {"runtime", &RecordedProfile::runtime, true},
    {"device", &RecordedProfile::device, true},
    {"version of the runtime", &RecordedProfile::runtime_version, false},
    {"machine", &RecordedProfile::host, false},
    {"processor", &RecordedProfile::cpu, false},
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
    std::string sentence = fmt::format("the {}s differ: {}", trait.what, fmt::join(values, ", "));
    if (trait.what == "version of the runtime")
      sentence = fmt::format("the versions of the runtime differ: {}", fmt::join(values, ", "));
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
