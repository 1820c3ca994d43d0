#include "pipeline/engine/batch_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/random.h"
#include "model/inputs/inputs.h"
#include "model/runtime/generated_values.h"

namespace takt {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{8} << 30;

std::string key_of(const std::string& name) { return name.empty() ? "data" : "data." + printable(name); }

[[noreturn]] void refuse_data(const std::string& name, const std::string& why) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", key_of(name), why));
}

std::size_t input_of(const std::string& name, const std::vector<Port>& inputs) {
  std::vector<std::string> names;
  for (const auto& port : inputs) names.push_back(port.name);
  const std::string known = fmt::format("use {}", fmt::join(names, ", "));
  if (name.empty() && inputs.size() != 1)
    refuse_data(name, fmt::format("the model has {} inputs; write 'data: {{NAME: …}}' with one of {}", inputs.size(),
                                  printable(fmt::format("{}", fmt::join(names, ", ")))));
  if (name.empty()) return 0;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    refuse_data(name, fmt::format("the model does not have this input; {}", suggestion(name, names, known)));
  return static_cast<std::size_t>(found - names.begin());
}

SharedTensor value_of(const Port& port, const std::filesystem::path& file, std::vector<std::string>& notes) {
  const std::string text = file.string();
  auto requests = read_inputs({InputSpec{port.name, file, text}});
  Port wanted = port;
  if (const auto* given = std::get_if<GivenInput>(&requests.front().content); given && wanted.shape.empty())
    wanted.shape.resize(given->value.tensor.shape.size());  // a model that does not even tell its rank takes any
  const auto choice = settle_inputs({wanted}, std::move(requests), std::nullopt, notes);
  return std::make_shared<const HostTensor>(std::move(make_inputs({wanted}, choice, 0, notes).front()));
}

void check_sum(const std::string& name, std::int64_t bytes, std::size_t values) {
  if (bytes > most_bytes)
    refuse_data(name,
                fmt::format("{} values need more than 8 GiB, and all of them are kept in memory; use fewer", values));
}

void read_files(const std::string& name, const DataSpec& data, const Port& port, InputTurns& turns) try {
  std::int64_t bytes = 0;
  for (const auto& file : data.files) {
    std::vector<std::string> same_again;  // what is said of the first file holds for all
    auto value = value_of(port, file, turns.values.empty() ? turns.notes : same_again);
    bytes += held_bytes(*value);
    check_sum(name, bytes, data.files.size());
    turns.values.push_back(std::move(value));
  }
} catch (const Error& error) {
  const std::string what = error.what(), key = key_of(name) + ": ";
  throw Error(error.kind(), what.starts_with(key) ? what : key + what);
}

}  // namespace

bool InputTurns::sizes_vary() const {
  return std::any_of(values.begin(), values.end(),
                     [&](const SharedTensor& value) { return value->shape != values.front()->shape; });
}

std::vector<InputTurns> read_turns(const StageSpec& stage, const std::vector<Port>& inputs) {
  std::vector<InputTurns> all;
  for (const auto& [name, data] : stage.data) {
    const std::size_t input = input_of(name, inputs);
    auto& turns = all.emplace_back(InputTurns{input, inputs[input].name});
    turns.generated = data.generated;
    read_files(name, data, inputs[input], turns);
  }
  return all;
}

void generate_turns(std::vector<InputTurns>& turns, const std::vector<SharedTensor>& samples, std::uint64_t seed) {
  for (auto& input : turns) {
    if (input.generated == 0 || input.input >= samples.size()) continue;
    const HostTensor& first = *samples[input.input];
    if (held_bytes(first) > most_bytes / input.generated)
      check_sum(input.name, most_bytes + 1, static_cast<std::size_t>(input.generated));
    Port port{first.name, first.type, {}};
    Random seeds(seed + input.input);
    input.values = {samples[input.input]};
    while (static_cast<std::int64_t>(input.values.size()) < input.generated)
      input.values.push_back(std::make_shared<const HostTensor>(generate_values(port, first.shape, seeds())));
    input.generated = 0;
  }
}

std::vector<std::string> notes_on_turns(const std::string& stage, const std::vector<InputTurns>& turns,
                                        std::size_t batches) {
  std::vector<std::string> notes;
  for (const auto& input : turns) {
    for (const auto& note : input.notes) notes.push_back(fmt::format("stage '{}': {}", stage, note));
    if (input.values.size() > 1 && batches > input.values.size())
      notes.push_back(fmt::format("stage '{}': {} values of input '{}' were used in rotation for {} batches", stage,
                                  input.values.size(), printable(input.name), batches));
  }
  return notes;
}

}  // namespace takt
