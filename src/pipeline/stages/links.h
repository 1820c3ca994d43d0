// Which output of an earlier stage becomes which input of a later one.
#pragma once

#include <cstddef>
#include <vector>

#include "model/runtime/runtime.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// `input` of a stage takes `output` of the earlier stage `from`, by their places in the ports.
struct Link {
  int from = 0;
  std::size_t output = 0, input = 0;
};

/// Inputs and outputs of one stage; both empty where they are not known (a dummy of a given time).
struct StagePorts {
  std::vector<Port> inputs, outputs;
};

/// The links into stage `stage`, where `ports` holds those of the stages up to it: what `connect` says, then inputs
/// with the name of an output of the stages before, and where there are neither, inputs and outputs in order. Throws
/// Error(bad_input), "FILE:LINE: …", for a name that does not exist, another type (floats of 16 to 64 bits go together:
/// float_types.h), and shapes that cannot be equal.
std::vector<Link> links_into(const PipelineSpec& spec, std::size_t stage, const std::vector<StagePorts>& ports);

}  // namespace takt
