#include "plan/run/piece_costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <span>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/statistics/random.h"
#include "base/statistics/statistics.h"
#include "base/system/watched_work.h"
#include "model/sim/simulated.h"
#include "pipeline/stages/opened_model.h"
#include "plan/estimate/slow_downs.h"

namespace takt {
namespace {

constexpr int unmeasured_runs = 2;

class MeasuredPieces final : public PlanCosts {
 public:
  MeasuredPieces(int pieces, std::vector<std::string> units, std::vector<PieceMeasurement> measurements)
      : pieces_(pieces), units_(std::move(units)), measurements_(std::move(measurements)) {}

  int stages() const override { return pieces_; }
  const std::vector<std::string>& units() const override { return units_; }
  std::optional<Nanoseconds> time(StageSpan span, int unit, double share) const override {
    const auto* found = find(span, unit);
    if (!found || !found->time) return std::nullopt;
    return Nanoseconds(static_cast<std::int64_t>(share * static_cast<double>(found->time->count())));
  }
  std::string why_missing(StageSpan span, int unit) const override {
    const auto* found = find(span, unit);
    return found ? found->reason : std::string("it was not measured");
  }
  std::optional<Nanoseconds> transfer(int, int, int) const override { return Nanoseconds(0); }
  std::optional<DivideCost> divide(StageSpan, const std::vector<int>&) const override { return std::nullopt; }

 private:
  const PieceMeasurement* find(StageSpan span, int unit) const {
    const auto found = std::find_if(measurements_.begin(), measurements_.end(), [&](const PieceMeasurement& one) {
      return one.span == span && one.unit == units_[index(unit)];
    });
    return found == measurements_.end() ? nullptr : &*found;
  }

  int pieces_;
  std::vector<std::string> units_;
  std::vector<PieceMeasurement> measurements_;
};

/// A span on a unit, with its rounds.
struct PieceRounds {
  PieceMeasurement result;
  std::vector<double> medians;  ///< ns
};

/// Why nobody should have these pieces on the unit, by what it made of the reference's values; empty: no reason.
std::string what_is_wrong(const PlannedPieces& model, const PieceMeasurement& piece, const OpenedModel& opened) {
  const PlanUnit& unit = model.units().at(piece.unit);
  if (is_simulated(unit.device)) return {};
  const BlockNumbers numbers = model.numbers_of(piece.span, unit, opened.sample_outputs());
  if (!numbers.is_wrong()) return {};
  std::string reason = "its outputs differ from those of the model: " + numbers.what;
  if (std::isfinite(numbers.deviation))
    reason +=
        fmt::format(" (error of {:.2g} of its size, and rounding explains {:.2g})", numbers.deviation, numbers.allowed);
  return reason;
}

void measure_round(const PlannedPieces& model, const std::filesystem::path& file, int runs, std::uint64_t round,
                   bool check, PieceRounds& piece) {
  if (!piece.result.reason.empty()) return;  // refused in the round before
  try {
    StageExecutorSettings settings = model.settings_in_plans(piece.result.span, model.units().at(piece.result.unit));
    settings.seed += round;
    const OpenedModel opened(file, settings, model.values_of(model.piece_of(piece.result.span).inputs));
    if (check && round == 0) piece.result.reason = what_is_wrong(model, piece.result, opened);
    if (!piece.result.reason.empty()) return;
    opened.median_time(unmeasured_runs);
    piece.medians.push_back(static_cast<double>(opened.median_time(runs).count()));
  } catch (const Error& error) {
    piece.result.reason = without_start(error.what(), file.string() + ": ");  // the file is takt's own
  }
}

/// Simulated pieces may take no time.
double log_of(double ns) { return std::log(std::max(ns, 1.0)); }

/// Standard deviation of the logarithm of one round, of all spans of a unit together; nullopt: one round only.
std::optional<double> deviation_of(const std::vector<PieceRounds>& pieces, const std::string& unit) {
  double squares = 0, freedom = 0;
  for (const PieceRounds& one : pieces) {
    if (one.result.unit != unit || one.medians.size() < 2) continue;
    double mean = 0;
    for (const double ns : one.medians) mean += log_of(ns) / static_cast<double>(one.medians.size());
    for (const double ns : one.medians) squares += (log_of(ns) - mean) * (log_of(ns) - mean);
    freedom += static_cast<double>(one.medians.size() - 1);
  }
  if (freedom == 0) return std::nullopt;
  return std::sqrt(squares / freedom);
}

/// The middle round, and how sure it is. The median of n normal values is off by sqrt(pi / 2 / n) deviations, where n
/// is large; for three that is 0.72, and the truth 0.67.
void take_rounds(std::vector<PieceRounds>& pieces) {
  std::map<std::string, std::optional<double>> deviation;
  for (const PieceRounds& one : pieces)
    if (!deviation.contains(one.result.unit)) deviation[one.result.unit] = deviation_of(pieces, one.result.unit);
  for (PieceRounds& one : pieces) {
    if (!one.result.reason.empty()) continue;
    const auto middle = median(std::span<const double>(one.medians));
    one.result.time = Nanoseconds(std::llround(middle.value()));
    if (const auto& of_unit = deviation.at(one.result.unit))
      one.result.error = *of_unit * std::sqrt(std::numbers::pi / 2 / static_cast<double>(one.medians.size()));
  }
}

constexpr Column<PieceMeasurement> columns[] = {
    {"piece_span", "Pieces", [](const PieceMeasurement& m) -> Cell { return to_string(m.span); },
     "The pieces of a model that are measured as one model, numbered from 1."},
    {"piece_unit", "Unit", [](const PieceMeasurement& m) -> Cell { return m.unit; },
     "The unit that pieces of a model were measured on."},
    {"piece_time_us", "Time", [](const PieceMeasurement& m) { return time_cell(m.time); },
     "The median time in us of an inference of the pieces as one model; empty if the unit refuses them or computes "
     "wrong outputs."},
    {"piece_error_percent", "Error %",
     [](const PieceMeasurement& m) { return m.error ? Cell(100 * *m.error) : Cell(); },
     "The standard error of the time of the pieces in %, from the differences between rounds on the same unit; empty "
     "with one round."},
    {"piece_reason", "Reason", [](const PieceMeasurement& m) { return m.reason.empty() ? Cell() : Cell(m.reason); },
     "Why plans do not run the pieces on the unit."},
};
constexpr TableDefinition<PieceMeasurement> definition{
    "piece_costs", "Times of pieces of a model on units: a row per span of pieces and unit.", columns};

}  // namespace

std::vector<PieceMeasurement> measure_pieces(const PlannedPieces& model, const PieceMeasuring& settings) {
  const TemporaryFolder folder("takt-plan-");
  std::vector<PieceRounds> pieces;
  for (int first = 1; first <= model.pieces(); ++first)
    for (int last = first; last <= model.pieces(); ++last)
      for (const auto& entry : model.units()) pieces.push_back({{{first, last}, entry.first, {}, {}}, {}});
  const int rounds = std::min(settings.rounds, settings.runs), runs = (settings.runs + rounds - 1) / rounds;
  const std::uint64_t total = pieces.size() * static_cast<std::uint64_t>(rounds);
  std::uint64_t done = 0;
  for (int round = 0; round < rounds; ++round)
    for (auto at = pieces.begin(); at != pieces.end();) {
      const StageSpan span = at->result.span;
      const auto file = model.write_span(span, folder.path());
      for (; at != pieces.end() && at->result.span == span; ++at) {
        if (settings.stop && *settings.stop) throw Error(ErrorKind::runtime, "interrupted");
        begin_step(fmt::format("measuring pieces {} on {}", to_string(span), at->result.unit));
        measure_round(model, file, runs, static_cast<std::uint64_t>(round), settings.check, *at);
        if (settings.progress) settings.progress(++done, total);
      }
      std::error_code ignored;
      std::filesystem::remove_all(file.parent_path(), ignored);
    }
  take_rounds(pieces);
  std::vector<PieceMeasurement> measurements;
  for (PieceRounds& one : pieces) measurements.push_back(std::move(one.result));
  return measurements;
}

std::shared_ptr<const PlanCosts> costs_of(int pieces, const std::vector<std::string>& units,
                                          std::vector<PieceMeasurement> measurements) {
  return std::make_shared<MeasuredPieces>(pieces, units, std::move(measurements));
}

std::optional<PlanCostSource::Draws> draws_of(int pieces, const std::vector<std::string>& units,
                                              const std::vector<PieceMeasurement>& measurements,
                                              const std::vector<PairRow>& slow_downs, const KnownStages* answers) {
  const bool known = std::all_of(measurements.begin(), measurements.end(),
                                 [](const PieceMeasurement& one) { return !one.time || one.error; });
  if (!known) return std::nullopt;
  const auto table = slow_downs.empty()
                         ? nullptr
                         : std::make_shared<const SlowDownTable>(slow_downs, units, pieces, "the pieces", answers);
  const auto draw = [=](std::uint64_t number) {
    Random random(number);
    std::vector<PieceMeasurement> drawn = measurements;
    for (PieceMeasurement& one : drawn)
      if (one.time)
        one.time = Nanoseconds(
            std::llround(static_cast<double>(one.time->count()) * std::exp(*one.error * standard_normal(random))));
    auto costs = costs_of(pieces, units, std::move(drawn));
    return table ? with_slow_downs(std::move(costs), table) : costs;
  };
  return PlanCostSource::Draws{draw, [](const Plan&) { return std::vector<std::string>(); }};
}

Table piece_costs_table(const std::vector<PieceMeasurement>& measurements) { return definition.make(measurements); }
TableSchema piece_costs_schema() { return definition.schema(); }

}  // namespace takt
