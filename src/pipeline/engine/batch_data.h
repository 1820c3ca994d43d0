// Values that the inputs of a stage have batch by batch, as `data` of a pipeline file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"
#include "pipeline/spec/pipeline_spec.h"

namespace takt {

/// What one input is given: batch b gets value b modulo their number.
struct InputTurns {
  bool sizes_vary() const;  ///< not all values have one shape

  std::size_t input = 0;  ///< its place in the ports
  std::string name;
  std::vector<SharedTensor> values{};
  std::int64_t generated = 0;        ///< so many are still to be made, when the input's shape is settled
  std::vector<std::string> notes{};  ///< how the first file was made to fit the input
};

/// Reads every file of the stage's data, so that no batch waits for one: converted to the type that the input has. Their
/// shapes may differ in dimensions that the model leaves open. What the file says to be generated has no values yet.
/// Throws Error(bad_input), beginning with "data.x:", for an input that the model does not have and as
/// model/inputs/inputs.h does for values that do not fit, and for more than 8 GiB of them.
std::vector<InputTurns> read_turns(const StageSpec& stage, const std::vector<Port>& inputs);

/// Makes what is to be generated: the first value is that of `samples` (by number of the input), the others are seeded,
/// each differently. Throws Error(bad_input) for more than 8 GiB.
void generate_turns(std::vector<InputTurns>& turns, const std::vector<SharedTensor>& samples, std::uint64_t seed);

/// What a reader of the run has to know: how values were made to fit, and where fewer of them than batches took turns.
/// One sentence each.
std::vector<std::string> notes_on_turns(const std::string& stage, const std::vector<InputTurns>& turns,
                                        std::size_t batches);

}  // namespace takt
