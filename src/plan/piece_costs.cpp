#include "plan/piece_costs.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/index.h"
#include "core/temporary_folder.h"
#include "core/text.h"
#include "pipeline/opened_model.h"

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

PieceMeasurement measured_on(const PlannedPieces& model, const StageSpan& span, const std::filesystem::path& file,
                             const std::string& name, int runs) {
  PieceMeasurement result{span, name, {}, {}};
  const Piece piece = model.piece_of(span);
  try {
    const OpenedModel opened(file, model.settings_on(model.units().at(name), piece.inputs),
                             model.values_of(piece.inputs));
    opened.median_time(unmeasured_runs);
    result.time = opened.median_time(runs);
  } catch (const Error& error) {
    result.reason = error.what();
    // The file's name says nothing: it is takt's own.
    if (const std::string where = file.string() + ": "; result.reason.starts_with(where))
      result.reason.erase(0, where.size());
  }
  return result;
}

constexpr Column<PieceMeasurement> columns[] = {
    {"piece_span", "Pieces", [](const PieceMeasurement& m) -> Cell { return to_string(m.span); },
     "The pieces of a model that are measured as one, numbered from 1."},
    {"piece_unit", "Unit", [](const PieceMeasurement& m) -> Cell { return m.unit; },
     "The unit that pieces of a model were measured on."},
    {"piece_time_us", "Time", [](const PieceMeasurement& m) { return time_cell(m.time); },
     "The median time in us of an inference of the pieces as one model; missing where the unit refuses them."},
    {"piece_reason", "Reason", [](const PieceMeasurement& m) { return m.reason.empty() ? Cell() : Cell(m.reason); },
     "Why a unit does not run the pieces of a model."},
};
constexpr TableDefinition<PieceMeasurement> definition{
    "piece_costs", "What pieces of a model take on units: a row per span of pieces and unit.", columns};

}  // namespace

std::vector<PieceMeasurement> measure_pieces(const PlannedPieces& model, const PieceMeasuring& settings) {
  const TemporaryFolder folder("takt-plan-");
  std::vector<PieceMeasurement> measurements;
  const auto pieces = static_cast<std::uint64_t>(model.pieces());
  const std::uint64_t total = pieces * (pieces + 1) / 2 * model.units().size();
  for (int first = 1; first <= model.pieces(); ++first)
    for (int last = first; last <= model.pieces(); ++last) {
      const auto file = model.write_span({first, last}, folder.path());
      for (const auto& [name, unit] : model.units()) {
        if (settings.stop && *settings.stop) throw Error(ErrorKind::runtime, "interrupted");
        measurements.push_back(measured_on(model, {first, last}, file, name, settings.runs));
        if (settings.progress) settings.progress(measurements.size(), total);
      }
      std::error_code ignored;
      std::filesystem::remove_all(file.parent_path(), ignored);
    }
  return measurements;
}

std::shared_ptr<const PlanCosts> costs_of(int pieces, const std::vector<std::string>& units,
                                          std::vector<PieceMeasurement> measurements) {
  return std::make_shared<MeasuredPieces>(pieces, units, std::move(measurements));
}

Table piece_costs_table(const std::vector<PieceMeasurement>& measurements) { return definition.make(measurements); }
TableSchema piece_costs_schema() { return definition.schema(); }

}  // namespace takt
