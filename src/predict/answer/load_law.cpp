#include "predict/answer/load_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics/statistics.h"
#include "predict/fit/conformal.h"
#include "predict/fit/ridge.h"

namespace takt {
namespace {

// First guesses: who waits as the probe does takes as much longer, and who computes as it does, too.
constexpr std::string_view waited = "probe_wait_ratio", fair_wait = "probe_fair_wait_ratio", busy = "cpu_busy_share",
                           read_rate = "probe_memory_bytes_per_s";
constexpr LoadLawFeature turns_features[] = {{fair_wait, 1}, {"probe_compute_flops", 1}, {read_rate}};
constexpr LoadLawFeature probe_features[] = {{waited, 1}, {"probe_compute_flops", 1}, {read_rate}};
constexpr LoadLawFeature gpu_features[] = {{"gpu_sm_active_share"}, {"gpu_dram_active_share"}, {"gpu_sm_clock_hertz"}};
constexpr LoadLawFeature host_features[] = {{busy}, {"cpu_pressure_share"}};
constexpr LoadLawFeature busy_features[] = {{busy}};
constexpr LoadLawKind law_kinds[] = {{"gpu", gpu_features},
                                     {"turns", turns_features},
                                     {"probe", probe_features},
                                     {"host", host_features},
                                     {"busy", busy_features}};

bool is_wait(std::string_view feature) { return feature == waited || feature == fair_wait; }

/// How far from quiet: the logarithm of the factor that this alone would mean, where it means one.
double distance(std::string_view feature, double value, double quiet) {
  if (is_wait(feature)) return std::log1p(std::max(0.0, value)) - std::log1p(std::max(0.0, quiet));
  if (feature.ends_with("_share")) return value - quiet;
  return value > 0 && quiet > 0 ? std::log(quiet / value) : 0;  // rates: half the rate is twice the time
}

constexpr double most_log_factor = 7;  // a thousand times; a law that says more is none
// How strongly weights are drawn to the guess: as much as a sample at a distance of a seventh, and for each sample as
// much as befits distances that are uncertain by this. (Least squares with uncertain rows are least squares drawn by
// their variance.) What a probe reads in quiet goes up and down by 0.09 within a collection and by more to the next
// day's.
constexpr double pull_to_guess = 0.02, uncertain_distance = 0.075;

/// A probe's wait is a mean over a second, in which the load may have begun or ended.
double change_in(const SeenLoad& seen) {
  constexpr double most = 1.1;  // three times as long, or a third
  const auto found = seen.find(wait_trend_feature);
  return found == seen.end() || found->second <= 0 ? 0 : std::clamp(std::log(found->second), -most, most);
}

std::optional<double> seen_value(const SeenLoad& seen, std::string_view feature) {
  const auto found = seen.find(feature);
  return found == seen.end() ? std::nullopt : std::optional(found->second);
}

/// Half way from what the probe waited to its fair share, where the processors were busy without it. Threads that sleep
/// in between get less than their share from a busy one: there the probe alone knows.
std::optional<double> wait_without_luck(const SeenLoad& seen) {
  constexpr double idle_enough = 0.9, busy_enough = 0.98, most = 0.5;
  const auto own = seen_value(seen, waited), fair = seen_value(seen, fair_wait), others = seen_value(seen, busy);
  if (!own || !fair || !others) return std::nullopt;
  const double share = most * std::clamp((*others - idle_enough) / (busy_enough - idle_enough), 0.0, 1.0);
  return std::expm1((1 - share) * std::log1p(std::max(0.0, *own)) + share * std::log1p(std::max(0.0, *fair)));
}

/// nullopt: it was not seen, or what belongs to it.
std::optional<double> value_of(std::string_view feature, const SeenLoad& seen) {
  return feature == fair_wait ? wait_without_luck(seen) : seen_value(seen, feature);
}

/// The distance as it counts; nullopt: the feature was not seen. Memory that is read more slowly while nobody here
/// works is read so because of programs that this machine does not see. That goes up and down by a fifth from hour to
/// hour and hardly shows in models.
std::optional<double> counted_distance(std::string_view feature, double quiet, const SeenLoad& seen) {
  const auto value = value_of(feature, seen);
  if (!value) return std::nullopt;
  const double far = distance(feature, *value, quiet);
  return feature == read_rate ? far * std::clamp(seen_value(seen, busy).value_or(1), 0.0, 1.0) : far;
}

/// Of every term; nullopt: one was not seen.
std::optional<std::vector<double>> counted_distances(std::span<const LoadTerm> terms, const SeenLoad& seen) {
  std::vector<double> distances;
  for (const LoadTerm& term : terms) {
    const auto far = counted_distance(term.feature, term.quiet, seen);
    if (!far) return std::nullopt;
    distances.push_back(*far);
  }
  return distances;
}

std::vector<LoadTerm> terms_for(std::span<const SeenLoad> quiet, std::span<const LoadLawFeature> features) {
  std::vector<LoadTerm> terms;
  for (const LoadLawFeature& feature : features) {
    std::vector<double> values;
    for (const SeenLoad& seen : quiet)
      if (const auto value = value_of(feature.name, seen)) values.push_back(*value);
    LoadTerm& term = terms.emplace_back();
    term.feature = feature.name;
    term.quiet = median(std::span<const double>(values)).value_or(std::numeric_limits<double>::quiet_NaN());
  }
  return terms;
}

}  // namespace

std::span<const LoadLawKind> load_law_kinds() { return law_kinds; }

std::optional<double> width_at(std::span<const LoadWidth> widths, double factor) {
  for (const LoadWidth& width : widths)
    if (factor <= width.up_to_factor) return width.width;
  return widths.empty() ? std::nullopt : std::optional(widths.back().width);
}

std::set<std::string> LoadLaw::missing(const SeenLoad& seen) const {
  std::set<std::string> names;
  for (const LoadTerm& term : terms_) {
    names.insert(term.feature);
    if (term.feature == fair_wait) names.insert({std::string(waited), std::string(busy)});
  }
  std::erase_if(names, [&](const std::string& name) { return seen.contains(name); });
  return names;
}

std::optional<LoadFactor> LoadLaw::factor(const SeenLoad& seen, double memory_share) const {
  LoadFactor result;
  double sum = 0;
  for (const LoadTerm& term : terms_) {
    const auto far = counted_distance(term.feature, term.quiet, seen);
    if (!far) return std::nullopt;
    const double held = std::clamp(*far, term.low, term.high);
    result.is_beyond = result.is_beyond || std::abs(*far - held) > 0.1;
    sum += (is_wait(term.feature) ? std::max(*far, held) : held) * (term.weight + term.by_memory * memory_share);
    if (is_wait(term.feature)) sum += change_in(seen);
  }
  result.factor = std::exp(std::clamp(sum, -most_log_factor, most_log_factor));
  result.width = width_at(widths_, result.factor).value_or(0);
  if (result.is_beyond) result.width *= 2;
  return result;
}

std::optional<LoadLaw> fit_load_law(std::span<const LoadSample* const> samples, std::span<const SeenLoad> quiet,
                                    const LoadLawKind& kind) {
  std::vector<LoadTerm> terms = terms_for(quiet, kind.features);
  if (std::any_of(terms.begin(), terms.end(), [](const LoadTerm& term) { return std::isnan(term.quiet); }))
    return std::nullopt;
  std::vector<std::vector<double>> rows;
  std::vector<double> right;  // what the first guess leaves
  for (const LoadSample* sample : samples) {
    const auto distances = counted_distances(terms, sample->seen);
    if (!distances) continue;
    std::vector<double>& row = rows.emplace_back();
    double left = std::log(sample->factor);
    for (std::size_t i = 0; i < terms.size(); ++i) {
      LoadTerm& term = terms[i];
      const double far = (*distances)[i];
      term.low = std::min(term.low, far), term.high = std::max(term.high, far);
      row.push_back(far), row.push_back(far * sample->memory_share);
      left -= far * kind.features[i].guess;
    }
    right.push_back(left);
  }
  if (rows.size() < least_load_samples) return std::nullopt;
  const double pull = pull_to_guess + static_cast<double>(rows.size()) * uncertain_distance * uncertain_distance;
  const auto weights = ridge_solution(rows, right, pull);
  for (std::size_t i = 0; i < terms.size(); ++i)
    terms[i].weight = kind.features[i].guess + weights[2 * i], terms[i].by_memory = weights[2 * i + 1];
  return LoadLaw(std::string(kind.name), std::move(terms), {});
}

std::vector<LoadWidth> load_widths(std::vector<LoadError> errors) {
  std::sort(errors.begin(), errors.end(), [](const LoadError& a, const LoadError& b) { return a.factor < b.factor; });
  // Fewer than fit into three sets that each can tell 90 % have one width.
  const std::size_t sets = errors.size() >= 3 * errors_needed() ? 3 : 1;
  std::vector<LoadWidth> widths;
  for (std::size_t set = 0; set < sets; ++set) {
    const std::size_t begin = errors.size() * set / sets, end = errors.size() * (set + 1) / sets;
    std::vector<double> of_set;
    for (std::size_t i = begin; i < end; ++i) of_set.push_back(errors[i].log_error);
    if (const auto width = conformal_width(of_set)) widths.push_back({errors[end - 1].factor, *width});
  }
  return widths;
}

}  // namespace takt
