#include "plan/run/piece_contention.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/files/temporary_folder.h"
#include "model/sim/simulated.h"
#include "pipeline/contention/single_contention.h"
#include "pipeline/engine/loaded_runs.h"
#include "pipeline/engine/shared_resources.h"
#include "pipeline/engine/spec_cut.h"

namespace takt {
namespace {

/// Pieces that have something to do with each other, as the stages of a pipeline none of which feeds another.
class PieceStages {
 public:
  PieceStages(const PlannedPieces& model, const std::vector<PieceMeasurement>& times,
              const PieceContentionSettings& settings, bool simulated)
      : settings_(settings), folder_("takt-plan-"), simulated_(simulated) {
    spec_.name = "pieces", spec_.origin = "the pieces";
    spec_.seed = settings.seed;
    Nanoseconds longest{1};
    for (const PieceMeasurement& one : times) {
      const PlanUnit& unit = model.units().at(one.unit);
      if (one.span.count() != 1 || !one.time || is_simulated(unit.device) != simulated) continue;
      add(model, one, unit);
      longest = std::max(longest, *one.time);
    }
    // Of a real pair so many that what disturbs one of them does not decide.
    spec_.batches =
        simulated ? 200 : std::clamp<std::int64_t>(Nanoseconds(std::chrono::milliseconds(200)) / longest, 12, 200);
    spec_.warmup = std::max<std::int64_t>(1, *spec_.batches / 10);
  }

  bool has_several_units() const {
    return std::any_of(units_.begin(), units_.end(), [&](const std::string& unit) { return unit != units_.front(); });
  }

  PieceContention measured() {
    auto found = simulated_ ? beside_loads() : PieceContention{both_at_once(), {}};
    std::erase_if(found.pairs,
                  [&](const PairRow& row) { return !are_of_two_units(row.stage_number, row.beside_number); });
    return found;
  }

 private:
  void add(const PlannedPieces& model, const PieceMeasurement& one, const PlanUnit& unit) {
    StageSpec& stage = spec_.stages.emplace_back();
    stage.name = fmt::format("{}[{}]", one.unit, one.span.first);
    stage.model = model.write_span(one.span, folder_.path());
    stage.device = unit.device;
    stage.connects_by_default = false;
    if (!simulated_) stage.runtime = unit.runtime, stage.threads = unit.threads, stage.precision = ElementType::f32;
    for (const SharedTensor& value : model.values_of(model.piece_of(one.span).inputs))
      if (value) stage.given.push_back(value);
    units_.push_back(one.unit);
  }

  bool are_of_two_units(int a, int b) const { return units_[index(a)] != units_[index(b)]; }

  std::vector<std::string> names() const {
    std::vector<std::string> list;
    for (const StageSpec& stage : spec_.stages) list.push_back(stage.name);
    return list;
  }

  std::vector<PairRow> both_at_once() {
    CutRunner runner(spec_, false, settings_.stop);
    InterferenceSettings settings;
    settings.rounds = settings_.rounds;
    settings.wanted = [this](int a, int b) { return are_of_two_units(a, b); };
    settings.stop = settings_.stop;
    settings.progress = settings_.progress;
    const auto report = measure_interference(
        names(), [&](const std::vector<int>& stages) { return runner.run(stages); }, settings);
    if (report.interrupted) throw Error(ErrorKind::runtime, "interrupted");
    return report.pairs;
  }

  PieceContention beside_loads() {
    const SimulatedTimes times(spec_);
    spec_ = with_given_times(with_shared_resources(spec_, times), times);
    if (spec_.resources.empty()) return {};
    CutRunner runner(spec_, true, settings_.stop);
    const LoadSetup setup = load_setup(spec_, true, runner, {}, settings_.stop);
    SingleSettings settings;
    settings.rounds = settings_.rounds;
    settings.plan = {even_levels(5), setup.mixture};
    settings.stop = settings_.stop;
    settings.progress = settings_.progress;
    const auto report = measure_single(names(), setup.resources, *setup.runs, settings);
    if (report.interrupted) throw Error(ErrorKind::runtime, "interrupted");
    return {report.pairs, KnownStages{report.stages, report.resources, report.contentions}};
  }

  const PieceContentionSettings& settings_;
  TemporaryFolder folder_;
  bool simulated_;
  PipelineSpec spec_;
  std::vector<std::string> units_;  ///< of each stage
};

constexpr Column<PairRow> pair_columns[] = {
    {"slowed_piece", "Piece", [](const PairRow& row) -> Cell { return row.stage; },
     "A unit and a piece of a model on it, as plans name the block."},
    {"piece_beside", "Co-runner", [](const PairRow& row) -> Cell { return row.beside; },
     "The unit and piece that runs at the same time."},
    {"piece_slow_down", "Slowdown", [](const PairRow& row) { return optional_cell(row.factor); },
     "Slowdown of a piece while the co-runner runs; empty if the two hardly ever ran concurrently. Plans use it if it "
     "is significant."},
    {"piece_slow_down_low", "From", [](const PairRow& row) { return optional_cell(row.low); },
     "Lower end of the 95 % interval of a piece's slowdown."},
    {"piece_slow_down_high", "To", [](const PairRow& row) { return optional_cell(row.high); },
     "Upper end of the 95 % interval of a piece's slowdown."},
    {"piece_slow_down_certain", "Significant",
     [](const PairRow& row) -> Cell { return std::string(row.significant ? "yes" : "no"); },
     "Whether a piece's slowdown is significant beyond noise and drift: yes or no."},
};
constexpr TableDefinition<PairRow> pair_definition{
    "piece_pairs", "Contention between pieces of a model on different units: a row per pair.", pair_columns};

}  // namespace

PieceContention measure_piece_contention(const PlannedPieces& model, const std::vector<PieceMeasurement>& times,
                                         const PieceContentionSettings& settings) {
  PieceContention all;
  for (const bool simulated : {false, true}) {
    PieceStages stages(model, times, settings, simulated);
    if (!stages.has_several_units()) continue;
    PieceContention found = stages.measured();
    all.pairs.insert(all.pairs.end(), found.pairs.begin(), found.pairs.end());
    if (found.answers) all.answers = std::move(found.answers);
  }
  return all;
}

Table piece_pairs_table(const std::vector<PairRow>& pairs) { return pair_definition.make(pairs); }
TableSchema piece_pairs_schema() { return pair_definition.schema(); }

}  // namespace takt
