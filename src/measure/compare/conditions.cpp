#include "measure/compare/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {
namespace {

using Side = std::span<const RecordedProfile>;
/// What a profile says about a condition; empty: not recorded.
using Told = std::string (*)(const RecordedProfile&);

struct Trait {
  std::string_view plural;
  Told told;
  bool must_agree = false;
};

constexpr std::array<Trait, 7> traits = {{
    {"models", [](const RecordedProfile& p) { return p.from.model; }, true},
    {"runtimes", [](const RecordedProfile& p) { return p.from.runtime; }, true},
    {"devices", [](const RecordedProfile& p) { return p.from.device; }, true},
    {"versions of the runtime", [](const RecordedProfile& p) { return p.from.runtime_version; }},
    {"machines", [](const RecordedProfile& p) { return p.from.host; }},
    {"processors", [](const RecordedProfile& p) { return p.from.cpu; }},
    {"kinds of profile", [](const RecordedProfile& p) { return p.kind; }},
}};

/// Different values, not those that are empty.
template <typename Of>
std::set<std::string> values_in(std::initializer_list<Side> sides, Of of) {
  std::set<std::string> values;
  for (Side side : sides)
    for (const RecordedProfile& profile : side)
      if (std::string value = of(profile); !value.empty()) values.insert(printable(value));
  return values;
}

/// "1 before, 2 after", or both lists where the runs of one side are not alike either. nullopt: all alike.
template <typename Of>
std::optional<std::string> difference_of(Side before, Side after, Of of) {
  if (values_in({before, after}, of).size() < 2) return std::nullopt;
  const auto listed = [&](Side side) {
    const auto values = values_in({side}, of);
    return values.empty() ? std::string("not recorded") : fmt::format("{}", fmt::join(values, " and "));
  };
  return fmt::format("{} before, {} after", listed(before), listed(after));
}

/// A new version of a model often has a new name. Rows are those of one model where they have one name and type; of the
/// time of each side, what is in rows that the other has, too.
bool operators_match(Side before, Side after) {
  constexpr double most_of_it = 0.9;
  const auto rows_of = [](Side side) {
    std::set<std::pair<std::string, std::string>> rows;
    for (const RecordedProfile& profile : side)
      for (const RecordedOp& op : profile.ops) rows.emplace(op.name, op.type);
    return rows;
  };
  const auto shared = [&](Side side, Side other) {
    const auto there = rows_of(other);
    double all = 0, common = 0;
    for (const RecordedProfile& profile : side)
      for (const RecordedOp& op : profile.ops)
        for (const Nanoseconds sample : op.samples) {
          const auto time = static_cast<double>(sample.count());
          all += time, common += there.contains({op.name, op.type}) ? time : 0;
        }
    return all > 0 && common >= most_of_it * all;
  };
  return shared(before, after) && shared(after, before);
}

void add_traits(Side before, Side after, bool force, std::vector<std::string>& sentences) {
  for (const Trait& trait : traits) {
    const auto values = values_in({before, after}, trait.told);
    if (values.size() < 2) continue;
    std::string sentence = fmt::format("the {} differ: {}", trait.plural, fmt::join(values, ", "));
    if (trait.must_agree && !force && !(trait.plural == "models" && operators_match(before, after)))
      refuse_input(fmt::format("compare: {}; give profiles of the same one, or --force to compare anyway", sentence));
    sentences.push_back(std::move(sentence));
  }
}

/// One sentence, because the fingerprints tell nobody anything.
void add_content(Side before, Side after, std::vector<std::string>& sentences) {
  const auto content = [](const RecordedProfile& p) { return p.from.content; };
  const auto model = [](const RecordedProfile& p) { return p.from.model; };
  if (values_in({before, after}, content).size() > 1 && values_in({before, after}, model).size() < 2)
    sentences.push_back("the model's files changed: same name, different contents");
}

std::set<std::string> input_names(Side before, Side after) {
  std::set<std::string> names;
  for (Side side : {before, after})
    for (const RecordedProfile& profile : side)
      for (const RecordedInput& input : profile.from.inputs.value_or(std::vector<RecordedInput>{}))
        names.insert(input.name);
  return names;
}

const RecordedInput* input_of(const RecordedProfile& profile, const std::string& name) {
  if (!profile.from.inputs) return nullptr;
  const auto found = std::find_if(profile.from.inputs->begin(), profile.from.inputs->end(),
                                  [&](const RecordedInput& input) { return input.name == name; });
  return found == profile.from.inputs->end() ? nullptr : &*found;
}

void add_inputs(Side before, Side after, std::vector<std::string>& sentences) {
  for (const std::string& name : input_names(before, after)) {
    const auto form = [&](const RecordedProfile& profile) {
      const RecordedInput* input = input_of(profile, name);
      if (!input) return std::string(profile.from.inputs ? "missing" : "");
      return fmt::format("{} {}", input->type, input->shape);
    };
    const auto origin = [&](const RecordedProfile& profile) {
      const RecordedInput* input = input_of(profile, name);
      return input ? input->origin : "";
    };
    if (const auto found = difference_of(before, after, form))
      sentences.push_back(fmt::format("input '{}' is {}", printable(name), *found));
    if (const auto found = difference_of(before, after, origin))
      sentences.push_back(fmt::format("input '{}' has {}", printable(name), *found));
  }
}

void add_settings(Side before, Side after, std::vector<std::string>& sentences) {
  static const std::set<std::string> without_effect{"iterations", "warmup_iterations", "seed"};
  std::set<std::string> names;
  for (Side side : {before, after})
    for (const RecordedProfile& profile : side)
      for (const auto& [name, value] : profile.from.settings) names.insert(name);
  for (const std::string& name : names) {
    if (without_effect.contains(name)) continue;
    const auto value = [&](const RecordedProfile& profile) {
      const auto found = profile.from.settings.find(name);
      if (found != profile.from.settings.end()) return found->second;
      return std::string(profile.from.settings.empty() ? "" : "default");
    };
    if (const auto found = difference_of(before, after, value))
      sentences.push_back(fmt::format("{} differ: {}", printable(name), *found));
  }
}

void add_precision(Side before, Side after, std::vector<std::string>& sentences) {
  const auto precision = [](const RecordedProfile& p) { return p.from.precision; };
  if (const auto found = difference_of(before, after, precision))
    sentences.push_back(fmt::format("computed in {}", *found));
}

void add_unrecorded(Side before, Side after, std::vector<std::string>& sentences) {
  std::vector<std::string> without;
  std::size_t runs = 0;
  for (Side side : {before, after})
    for (const RecordedProfile& profile : side) {
      ++runs;
      if (!profile.from.inputs) without.push_back(profile.origin);
    }
  if (!without.empty() && without.size() < runs)
    sentences.push_back(fmt::format("{} {} not record inputs and their shapes: it is unknown whether they agree",
                                    fmt::join(without, ", "), without.size() == 1 ? "does" : "do"));
}

}  // namespace

std::optional<std::string> other_processors(Side before, Side after) {
  const auto told = [](const RecordedProfile& p) { return p.virtual_clock ? std::string() : p.from.cpu; };
  const auto first = values_in({before}, told), second = values_in({after}, told);
  if (first.empty() || second.empty() || first == second) return std::nullopt;
  return fmt::format("the sides ran on different processors: {} before, {} after", fmt::join(first, " and "),
                     fmt::join(second, " and "));
}

std::vector<std::string> differing_conditions(Side before, Side after, bool force) {
  std::vector<std::string> sentences;
  add_traits(before, after, force, sentences);
  add_content(before, after, sentences);
  add_inputs(before, after, sentences);
  add_precision(before, after, sentences);
  add_settings(before, after, sentences);
  add_unrecorded(before, after, sentences);
  return sentences;
}

}  // namespace takt
