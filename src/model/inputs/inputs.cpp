#include "model/inputs/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/memory/mapped_ranges.h"
#include "model/graph/limits.h"
#include "model/inputs/image.h"
#include "model/inputs/json.h"
#include "model/inputs/npy.h"
#include "model/inputs/shape_words.h"
#include "model/inputs/tensor_convert.h"
#include "model/inputs/tensor_dump.h"
#include "model/runtime/generated_values.h"

namespace takt {
namespace {

constexpr const char* written = "values as written";  ///< the origin of a literal

std::string input_names(const std::vector<Port>& inputs) {
  std::string names;
  for (const auto& port : inputs) names += (names.empty() ? "'" : ", '") + printable(port.name) + "'";
  return names;
}

const Port& find_input(const std::vector<Port>& inputs, const std::string& name) {
  if (name.empty() && inputs.size() == 1) return inputs.front();
  if (name.empty())
    throw Error(ErrorKind::bad_input, fmt::format("--input: the model has {} inputs ({}); name one of them",
                                                  inputs.size(), input_names(inputs)));
  for (const auto& port : inputs)
    if (port.name == name) return port;
  throw Error(ErrorKind::bad_input, fmt::format("--input: the model has no input '{}'; its inputs are {}",
                                                printable(name), input_names(inputs)));
}

void check_against_model(const Port& port, const Shape& shape) {
  bool fits = shape.size() == port.shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) fits = allows(port.shape[i], shape[i]);
  if (!fits)
    throw Error(ErrorKind::bad_input, fmt::format("--input: shape {} does not fit input '{}', which is {} in the model",
                                                  to_string(shape), printable(port.name), to_string(port.shape)));
}

std::vector<InputRequest> parse_file_input(const InputSpec& spec, const std::filesystem::path& path,
                                           const PaddedText& file) {
  const auto bytes = std::as_bytes(std::span(file.text()));
  const std::string where = printable(path.string()), origin = "values of " + where;
  const std::string ending = lower_case(path.extension().string());
  if (is_dump_file(path.string())) {
    GivenTensor given = parse_dump(bytes, where);
    const std::string name = spec.name.empty() ? given.tensor.name : spec.name;
    return {{name, GivenInput{std::move(given), where, origin}}};
  }
  if (ending == ".npy") return {{spec.name, GivenInput{parse_npy(bytes, where), where, origin}}};
  if (ending != ".json") return {{spec.name, GivenInput{parse_netpbm(bytes, where), where, origin}}};
  std::vector<InputRequest> requests;
  for (auto& given : parse_input_json(file, where)) {
    // A name before the file picks the input of that name out of it; a file with one bare value has none to pick from.
    const std::string name = given.tensor.name.empty() ? spec.name : given.tensor.name;
    if (spec.name.empty() || name == spec.name) requests.push_back({name, GivenInput{std::move(given), where, origin}});
  }
  if (requests.empty())
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has no input '{}'; use one of the names in the file", where, printable(spec.name)));
  return requests;
}

std::vector<InputRequest> read_file_input(const InputSpec& spec, const std::filesystem::path& path) {
  const PaddedText file(std::make_shared<const MappedFile>(path));
  return read_whole(file.text(), [&] { return parse_file_input(spec, path, file); });
}

/// The files of a list, or of a folder by name; nullopt: `spec` is neither.
std::optional<std::vector<std::filesystem::path>> files_of(const InputSpec& spec) {
  if (!spec.files.empty()) return spec.files;
  const auto* path = std::get_if<std::filesystem::path>(&spec.content);
  if (!path || is_value_file(path->string())) return std::nullopt;
  std::error_code error;
  auto files = value_files(*path, error);
  if (error)
    throw Error(ErrorKind::io, fmt::format("--input '{}': {}: cannot be read: {}", printable(spec.text),
                                           printable(path->string()), error.message()));
  if (files.empty())
    throw Error(ErrorKind::bad_input, fmt::format("--input '{}': {} has no file of values (.npy, .json, .ppm, .pgm)",
                                                  printable(spec.text), printable(path->string())));
  return files;
}

/// What is written as [1,3,224,224] and does not fit as values is a shape; where the numbers fit as values, too, it is
/// said how to write a shape.
void read_as_shape(const Port& port, InputRequest& request, std::optional<std::int64_t> batch,
                   std::vector<std::string>& notes) {
  const auto* given = std::get_if<GivenInput>(&request.content);
  const auto meant = given && given->origin == written ? shape_meant_by(given->value, port.shape) : std::nullopt;
  if (!meant) return;
  const std::string as_shape = fmt::format("{}:{}", printable(escape_input_name(port.name)), to_string(*meant));
  try {
    GivenInput values = *given;
    std::vector<std::string> ignored;
    fit_shape(values, port, batch, ignored);
    notes.push_back(
        fmt::format("{}: read as values; for generated values of that shape write '{}'", given->where, as_shape));
  } catch (const Error&) {
    notes.push_back(fmt::format("{}: read as the shape '{}' of generated values", given->where, as_shape));
    request.content = *meant;
  }
}

void settle_request(const Port& port, InputRequest request, std::optional<std::int64_t> batch, InputChoice& choice,
                    std::vector<std::string>& notes) {
  Shape shape;
  read_as_shape(port, request, batch, notes);
  if (auto* given = std::get_if<GivenInput>(&request.content)) {
    given->value.tensor.name = port.name;
    fit_shape(*given, port, batch, notes);
    shape = given->value.tensor.shape;
  } else {
    shape = std::get<Shape>(request.content);
  }
  if (batch && !shape.empty()) shape[0] = *batch;
  check_against_model(port, shape);
  if (!choice.shapes.emplace(port.name, shape).second)
    throw Error(ErrorKind::bad_input, fmt::format("--input: '{}' is given twice", printable(port.name)));
  if (auto* given = std::get_if<GivenInput>(&request.content)) choice.given.emplace(port.name, std::move(*given));
}

HostTensor convert_given(GivenInput given, const Port& port, const Shape& shape, std::vector<std::string>& notes) {
  const std::string where = fmt::format("{}: input '{}'", given.where, printable(port.name));
  const auto rounding = given.value.as == GivenAs::written ? Rounding::decimal : Rounding::none;
  if (given.value.as == GivenAs::image && given.value.tensor.type != port.type)
    notes.push_back(
        fmt::format("{}: the image's samples are given as {} numbers, not scaled", given.where, type_name(port.type)));
  HostTensor tensor = convert(std::move(given.value.tensor), port.type, rounding, where);
  if (!shape.empty()) repeat_rows(tensor, shape[0], given.where);
  return tensor;
}

}  // namespace

std::vector<std::filesystem::path> value_files(const std::filesystem::path& folder, std::error_code& error) {
  std::vector<std::filesystem::path> files;
  for (std::filesystem::directory_iterator i(folder, error), end; !error && i != end; i.increment(error))
    if (is_value_file(i->path().string())) files.push_back(i->path());
  std::sort(files.begin(), files.end());
  return files;
}

std::size_t count_turns(const std::vector<InputSpec>& specs) {
  std::optional<std::size_t> turns;
  for (const auto& spec : specs) {
    const auto files = files_of(spec);
    if (!files) continue;
    if (turns.value_or(files->size()) != files->size())
      throw Error(ErrorKind::bad_input, fmt::format("--input '{}': this folder has {} files and the one before {}; "
                                                    "folders of values need the same number of files",
                                                    printable(spec.text), files->size(), *turns));
    turns = files->size();
  }
  return turns.value_or(1);
}

std::vector<InputRequest> read_inputs(const std::vector<InputSpec>& specs, std::size_t turn) {
  std::vector<InputRequest> requests;
  for (const auto& spec : specs) {
    if (const auto* shape = std::get_if<Shape>(&spec.content)) {
      requests.push_back({spec.name, *shape});
    } else if (const auto* literal = std::get_if<GivenTensor>(&spec.content)) {
      const std::string where = fmt::format("--input '{}'", printable(spec.text));
      requests.push_back({spec.name, GivenInput{*literal, where, written}});
    } else {
      const auto files = files_of(spec);
      auto read =
          read_file_input(spec, files ? (*files)[turn % files->size()] : std::get<std::filesystem::path>(spec.content));
      std::move(read.begin(), read.end(), std::back_inserter(requests));
    }
  }
  return requests;
}

InputChoice settle_inputs(const std::vector<Port>& inputs, std::vector<InputRequest> requests,
                          std::optional<std::int64_t> batch, std::vector<std::string>& notes) {
  with_batch(inputs, batch);  // refuses a batch that the model does not take before anything is said of the requests
  InputChoice choice;
  for (auto& request : requests) {
    const Port& port = find_input(inputs, request.name);
    settle_request(port, std::move(request), batch, choice, notes);
  }
  return choice;
}

std::vector<Port> with_batch(std::vector<Port> inputs, std::optional<std::int64_t> batch) {
  if (!batch) return inputs;
  std::set<std::string> symbols;
  for (auto& port : inputs) {
    if (port.shape.empty()) continue;
    Dim& first = port.shape[0];
    if (first.value && *first.value != *batch)
      throw Error(ErrorKind::bad_input,
                  fmt::format("--batch-size {}: input '{}' is {} in the model, which fixes its first dimension to {}; "
                              "leave the option out, or export the model with an open batch",
                              *batch, printable(port.name), to_string(port.shape), *first.value));
    if (!allows(first, *batch))
      throw Error(ErrorKind::bad_input,
                  fmt::format("--batch-size {}: input '{}' is {} in the model; choose a batch within its limits",
                              *batch, printable(port.name), to_string(port.shape)));
    if (is_named(first)) symbols.insert(first.symbol);
    first.value = batch;
  }
  for (auto& port : inputs)
    for (Dim& dim : port.shape)
      if (!dim.value && symbols.contains(dim.symbol)) dim.value = batch;
  return inputs;
}

std::map<std::string, Shape> complete_shapes(const std::vector<Port>& inputs, std::map<std::string, Shape> settled,
                                             std::vector<std::string>& notes, const ShapeGuess& guess) {
  for (const auto& port : inputs) {
    if (settled.contains(port.name)) continue;
    const auto fixed = concrete(port.shape);
    const Shape shape = fixed ? *fixed : guess(port, settled);
    settled.emplace(port.name, shape);
    if (fixed) continue;
    notes.push_back(fmt::format("input '{}' is {} in the model; {} was used (choose with --input '{}:{}')",
                                printable(port.name), to_string(port.shape), to_string(shape),
                                printable(escape_input_name(port.name)), to_string(shape)));
  }
  return settled;
}

void check_sizes(const std::vector<Port>& inputs, const std::map<std::string, Shape>& shapes) {
  constexpr std::int64_t largest = largest_tensor_bytes;
  for (const auto& port : inputs) {
    const Shape& shape = shapes.at(port.name);
    auto count = element_count(shape);
    constexpr std::int64_t string_size = sizeof(std::string);
    if (!count || *count > largest || byte_count(port.type, *count).value_or(0) > largest ||
        (port.type == ElementType::string && *count > largest / string_size))
      throw Error(ErrorKind::bad_input, fmt::format("input '{}' of shape {} would take more than 8 GiB; give a smaller "
                                                    "one with --input",
                                                    printable(port.name), to_string(shape)));
  }
}

std::vector<HostTensor> make_inputs(const std::vector<Port>& inputs, const InputChoice& choice, std::uint64_t seed,
                                    std::vector<std::string>& notes) {
  check_sizes(inputs, choice.shapes);
  std::vector<HostTensor> tensors;
  for (const auto& port : inputs) {
    const Shape& shape = choice.shapes.at(port.name);
    if (const auto given = choice.given.find(port.name); given != choice.given.end())
      tensors.push_back(convert_given(given->second, port, shape, notes));
    else
      tensors.push_back(generate_values(port, shape, seed + tensors.size()));
  }
  return tensors;
}

}  // namespace takt
