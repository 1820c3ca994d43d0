// What a model is fed: shapes and values that the user gave, and generated values for everything else.
//
// The way of an --input: parse_input_specs (what was written) → read_inputs (files are read) → settle_inputs (what it
// means for this model: which input, which shape) → complete_shapes → make_inputs (the tensors, in the types that the
// runtime wants).
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <variant>
#include <vector>

#include "model/graph/graph.h"
#include "model/inputs/fit.h"
#include "model/inputs/spec.h"
#include "model/runtime/runtime.h"

namespace takt {

/// For one input: the shape of values to generate, or values. An empty name means the model's only input.
struct InputRequest {
  std::string name;
  std::variant<Shape, GivenInput> content;
};

/// Reads the files among `specs`. A .json may ask for several inputs: those that it names, or the one that the item
/// names. Throws Error(io) for a file that cannot be read, Error(bad_input) as the parsers do.
/// For a folder, reads the file number `turn` in order of name, starting again with the first after the last; likewise
/// of a list of files.
std::vector<InputRequest> read_inputs(const std::vector<InputSpec>& specs, std::size_t turn = 0);

/// Files of values in a folder, by name. What cannot be read of it is in `error`.
std::vector<std::filesystem::path> value_files(const std::filesystem::path& folder, std::error_code& error);

/// How many files the folders and lists among `specs` have; 1 without one. Throws Error(io) for a folder that cannot be
/// read, Error(bad_input) for one without a file of values, and for two of different numbers.
std::size_t count_turns(const std::vector<InputSpec>& specs);

struct InputChoice {
  std::map<std::string, Shape> shapes;      ///< with the batch
  std::map<std::string, GivenInput> given;  ///< inputs whose values the user gave, with their shapes but for the batch
};

/// What `requests` mean for the inputs of a model; inputs that nobody asks for have no shape yet. `batch`, if given, is
/// the first dimension of every input that has one. Throws Error(bad_input) when a request names no input or one twice,
/// or contradicts the model's rank or fixed dimensions (given values as fit_shape does), or the model fixes another
/// batch.
InputChoice settle_inputs(const std::vector<Port>& inputs, std::vector<InputRequest> requests,
                          std::optional<std::int64_t> batch, std::vector<std::string>& notes);

/// `inputs` with `batch` for their first dimension, and for every other dimension of the same symbol. Throws
/// Error(bad_input) when the model fixes another value.
std::vector<Port> with_batch(std::vector<Port> inputs, std::optional<std::int64_t> batch);

/// The shape of an input that the user did not give, where those of `settled` are known.
using ShapeGuess = std::function<Shape(const Port& input, const std::map<std::string, Shape>& settled)>;

/// `settled` and a concrete shape for every other input: `guess` is asked for those whose dimensions the model leaves
/// open, one after another, and each is named in `notes`.
std::map<std::string, Shape> complete_shapes(const std::vector<Port>& inputs, std::map<std::string, Shape> settled,
                                             std::vector<std::string>& notes, const ShapeGuess& guess);

/// Throws Error(bad_input) when a tensor would take more than 8 GiB: asked before a runtime is, since a runtime
/// allocates inputs when it opens a model, and what the kernel overcommits ends in a killed process.
void check_sizes(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes);

/// A tensor for each input, whose shapes `choice` has: given values converted without loss to its type and repeated to
/// the batch, generated ones for the rest (same seed and inputs, same values). Throws Error(bad_input) naming the value
/// that is lost, Error(unsupported) for types that cannot be given or generated, and as check_sizes does.
std::vector<HostTensor> make_inputs(const std::vector<Port>& inputs, const InputChoice& choice, std::uint64_t seed,
                                    std::vector<std::string>& notes);

}  // namespace takt
