// Pipelines in YAML, with what follows from them before anything is opened or run.
#include "pipeline/spec/pipeline_spec.h"

#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] {
    const takt::PipelineSpec spec = takt::parse_pipeline(std::string(takt::text_of(bytes, size)), "fuzz.yaml");
    const takt::FlowShape shape = takt::flow_shape(spec);
    takt::check(takt::contention_law(spec), shape);
    takt::check(takt::contention_law(takt::simulated(spec)), takt::flow_shape(takt::simulated(spec)));
  });
  return 0;
}
