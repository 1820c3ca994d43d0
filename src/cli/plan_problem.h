// What plans are searched for and run on: the stages that a sweep measured, or a model that is cut and measured now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/line/command_line.h"
#include "base/system/interrupt.h"
#include "plan/run/piece_contention.h"
#include "plan/run/piece_costs.h"
#include "plan/estimate/costs.h"
#include "plan/run/planned_model.h"

namespace takt {

struct PlanProblemOptions {
  std::filesystem::path what, interference;
  std::optional<int> nodes, edges;
  std::string divide_cost, devices;
  std::vector<std::string> inputs;
  int pieces = 5, runs = 30;
  std::optional<int> threads;
  bool whole = false, no_interference = false;
  bool at_once = true;  ///< blocks run at the same time in what is wanted short: what they do to each other counts
  bool check = true;    ///< units that compute wrong numbers for pieces of a model are not taken for them
  std::uint64_t seed = 1;

  bool is_model() const { return !std::filesystem::is_directory(what) && what.extension() != ".json"; }
};

/// The folder or model, and all that goes with either.
void add_problem(CommandLine& line, PlanProblemOptions& o);
/// The heading "Of a model" with --pieces, --threads, --input, --runs.
void add_model_options(CommandLine& line, PlanProblemOptions& o);

/// What plans are made of, and what they cost.
struct PlanProblem {
  std::shared_ptr<const PlanCosts> costs;
  std::unique_ptr<const PlannedModel> model;
  std::vector<PieceMeasurement> pieces;          ///< none: of a sweep
  std::optional<KnownStages> answers{};          ///< of pieces: what they press on and suffer by, where measured
  std::vector<PairRow> pairs;                    ///< of pieces: what was measured of their slow-downs
  std::optional<PlanCostSource::Draws> draws{};  ///< of pieces; nullopt: nothing says how sure the costs are
  std::string interference_line;                 ///< where slow-downs come from; empty: nowhere, or somebody named it
};

/// "piece_costs" and "piece_pairs" of a model; none of a sweep.
std::vector<Table> piece_tables(const PlanProblem& problem);

/// Measures the pieces of a model, with a progress bar. Throws UsageError for options that do not go together, and
/// Error as read_costs(), PlannedPieces and measure_pieces() do.
PlanProblem make_problem(const PlanProblemOptions& o, const Interrupt& interrupt);

/// A line for each piece that a unit does not run, with the reason; empty: there is none.
std::string refused_pieces(const PlanProblem& problem);

}  // namespace takt
