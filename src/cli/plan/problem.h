// What plans are searched for and run on: the stages that a sweep measured, or a model that is cut and measured now.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/system/interrupt.h"
#include "cli/line/command_line.h"
#include "plan/estimate/costs.h"
#include "plan/run/piece_contention.h"
#include "plan/run/piece_costs.h"
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
  bool at_once = true;  ///< blocks run concurrently for the objective, so their slowdowns count
  bool check = true;    ///< units whose outputs for a piece are wrong do not run that piece
  std::uint64_t seed = 1;

  bool is_model() const { return !std::filesystem::is_directory(what) && what.extension() != ".json"; }
};

/// Adds DIR|MODEL and the options of both.
void add_problem(CommandLine& line, PlanProblemOptions& o);
/// Adds the heading "For a model" with --pieces, --threads, --input and --iter.
void add_model_options(CommandLine& line, PlanProblemOptions& o);

/// The input of a search: what plans consist of, and the times of its parts.
struct PlanProblem {
  std::shared_ptr<const PlanCosts> costs;
  std::unique_ptr<const PlannedModel> model;
  std::vector<PieceMeasurement> pieces;          ///< of a model; empty for a sweep
  std::optional<KnownStages> answers{};          ///< of pieces: their loads and sensitivities, if measured
  std::vector<PairRow> pairs;                    ///< of pieces: their measured slowdowns
  std::optional<PlanCostSource::Draws> draws{};  ///< of pieces; nullopt: the costs have no intervals
  std::string interference_line;                 ///< names the source of slowdowns; empty: none, or the user named it
};

/// Returns the tables "piece_costs" and "piece_pairs" of a model; empty for a sweep.
std::vector<Table> piece_tables(const PlanProblem& problem);

/// Measures the pieces of a model, with a progress bar. Throws UsageError for options that do not go together, and
/// Error as read_costs(), PlannedPieces and measure_pieces() do.
PlanProblem make_problem(const PlanProblemOptions& o, const Interrupt& interrupt);

/// Returns a line for each piece that a unit does not run, with the reason; empty if there is none.
std::string refused_pieces(const PlanProblem& problem);

}  // namespace takt
