#include "plan/run/run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/files/temporary_folder.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/plan/options.h"
#include "cli/plan/problem.h"
#include "model/runtime/runtime.h"
#include "plan/answer/named_plan.h"
#include "plan/answer/run_tables.h"
#include "plan/search/search.h"

namespace takt {
namespace {

struct PlanRunOptions {
  PlanProblemOptions problem;
  PlanRuleOptions rules{.batches = 50, .blocks = {}};
  std::filesystem::path out;
  std::vector<std::string> plans;
  int rounds = 3, top = 1;
  bool no_check = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(PlanRunOptions& o) {
  CommandLine line("plan run",
                   "Runs plans on the devices that were measured, interleaved, and compares measured with estimated "
                   "times: the plan that the search ranked first, the best single-device plan, and plans of your "
                   "choice. Checks that the outputs of every block match those of the whole model.",
                   "takt plan run model.onnx --devices CPU,sim:GPU --objective throughput", o.log);
  add_problem(line, o.problem);
  line.heading("Plans to run");
  line.add({.names = "--plan",
            .value = "PLAN",
            .meaning = "Another plan to run: a name, a JSON file, or a string such as 'CPU[1-4] | GPU[5-7]'",
            .names_a_file = true},
           &o.plans);
  line.add({.names = "--top",
            .value = "N",
            .meaning = "Number of plans to run from the search; 0: only those of --plan",
            .fallback = std::to_string(o.top),
            .range = NumberRange{0, 1000}},
           &o.top);
  add_objective(line, o.rules);
  add_shared(line, o.rules);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "Runs of every plan, interleaved with those of the others",
            .fallback = std::to_string(o.rounds),
            .range = NumberRange{1, 10'000}},
           &o.rounds);
  line.add({.names = "--no-check", .meaning = "Do not compare the outputs of blocks with the model in float32"},
           &o.no_check);
  line.add({.names = "--out",
            .value = "DIR",
            .meaning = "Keep the pipelines of the plans in this folder, each in a subfolder, for 'takt pipeline run'",
            .makes = Makes::folder},
           &o.out);
  add_output(line, o.output, table_names("plan run"));
  add_report(line, o.output);
  return line;
}

std::vector<PlannedTrial> trials_of(const PlanRunOptions& o, const PlanCosts& costs, PlanSearchSettings settings) {
  std::vector<PlannedTrial> trials;
  const auto add = [&](const std::string& role, const Plan& plan, const PlanEstimate& estimate) {
    if (std::none_of(trials.begin(), trials.end(), [&](const PlannedTrial& one) { return one.plan == plan; }))
      trials.push_back({role, plan, estimate});
  };
  if (o.top > 0) {
    settings.top = 4 * o.top;  // some will have no point
    PlanSearch search = search_plans(costs, settings);
    keep_plans_with_a_point(search, o.top);
    const auto& single = search.best_single;
    for (const RankedPlan& plan : search.plans)
      add(single && plan.plan == single->plan ? "single" : "found", plan.plan, plan.estimate);
    if (single) add("single", single->plan, single->estimate);
  }
  for (const std::string& word : o.plans) {
    GivenPlan given = named_plan(word, costs, settings.batches);
    if (!given.estimate) refuse_input(given.reason);
    add(given.name.empty() ? "given" : given.name, given.plan, *given.estimate);
  }
  if (trials.empty()) throw UsageError("plan run: --top 0 leaves no plan; name one with --plan");
  return trials;
}

/// A model on one device has one place for all of its pieces.
void say_what_is_decided(const PlanRunOptions& o) {
  if (is_model_file(o.problem.what) && o.plans.empty() &&
      words_in(o.problem.devices.empty() ? "CPU" : o.problem.devices).size() == 1)
    log_warning(
        "plan run: one device leaves nothing to decide; name several, e.g. --devices onnxruntime@CPU,openvino@CPU, or "
        "plans of your own with --plan");
}

int run(PlanRunOptions& o, Arguments arguments) {
  o.rules.whole = o.problem.whole;
  const PlanSearchSettings search = search_settings(o.rules, "plan run");
  o.problem.at_once = search.objective == PlanObjective::throughput;
  o.problem.check = !o.no_check;
  const Interrupt interrupt;
  BusyWatch watch;
  const PlanProblem problem = make_problem(o.problem, interrupt);
  const auto trials = trials_of(o, *problem.costs, search);

  Progress bar("runs");
  const TemporaryFolder temporary("takt-plan-");
  PlanRunSettings settings;
  settings.folder = o.out.empty() ? temporary.path() : o.out;
  settings.batches = search.batches;
  settings.rounds = o.rounds;
  settings.check = !o.no_check;
  settings.seed = o.problem.seed;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
  settings.stop = &interrupt.requested();
  const PlanRunReport report{search.objective, search.batches, run_plans(trials, *problem.model, settings)};
  interrupt.work_is_over();
  watch.tell();
  say_what_is_decided(o);  // beside the plans, and not beside a failure
  auto tables = plan_run_tables(report);
  for (Table& table : piece_tables(problem)) tables.push_back(std::move(table));
  print(o.output, tables, provenance_of("plan run", arguments),
        to_text(report, o.output.style()) + refused_pieces(problem) + problem.interference_line);
  for (const PlanRunResult& plan : report.plans)
    if (plan.is_wrong())
      throw Error(ErrorKind::runtime, fmt::format("the outputs of the plan {} differ from those of the model: {}",
                                                  to_string(plan.trial.plan), plan.what_is_wrong()));
  return 0;
}

}  // namespace

constinit const Command plan_run_command =
    command<PlanRunOptions, declare, run>("plan run", "run plans and compare estimated with measured time");

}  // namespace takt
