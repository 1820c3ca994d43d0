#include "cli/plan.h"

namespace takt {
namespace {

constexpr Command plan_parts[] = {
    {"compile", "the best plans over a range of sizes, and where to change", run_plan_compile, describe_plan_compile},
    {"cut", "a model in pieces that run one after another, as a pipeline", run_plan_cut, describe_plan_cut},
    {"run", "plans really run, beside what they were expected to take", run_plan_run, describe_plan_run},
    {"search", "the best plans for given costs, and how sure that is", run_plan_search, describe_plan_search},
    {"simulate", "a stream of mixed sizes through compiled plans", run_plan_simulate, describe_plan_simulate},
};

}  // namespace

constexpr CommandGroup plan_commands = {.name = "plan",
                                        .summary = "Plans: which stages of a model run together, and on which units.",
                                        .usage = "COMMAND [options]",
                                        .commands = plan_parts,
                                        .example = "takt plan search --costs costs.json --objective throughput"};

}  // namespace takt
