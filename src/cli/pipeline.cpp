#include "cli/pipeline.h"

namespace takt {
namespace {

constexpr Command pipeline_parts[] = {
    {"run", "run a pipeline, or simulate it, and show where its time goes", run_pipeline_run, describe_pipeline_run},
    {"analyze", "where the time of a recorded run went", run_pipeline_analyze, describe_pipeline_analyze},
    {"interference", "how much stages slow each other down, measured", run_pipeline_interference,
     describe_pipeline_interference},
    {"whatif", "what a recorded run would have done with changes", run_pipeline_whatif, describe_pipeline_whatif},
};

}  // namespace

constexpr CommandGroup pipeline_commands = {
    .name = "pipeline",
    .summary = "Streaming pipelines: models on several devices, batch after batch.",
    .usage = "COMMAND [options]",
    .commands = pipeline_parts,
    .example = "takt pipeline run --simulate"};

}  // namespace takt
