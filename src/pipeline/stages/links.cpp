#include "pipeline/stages/links.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/yaml_section.h"
#include "pipeline/spec/stage_order.h"
#include "pipeline/stages/float_types.h"

namespace takt {
namespace {

[[noreturn]] void refuse_link(const PipelineSpec& spec, std::size_t stage, const std::string& what) {
  const auto& its = spec.stages[stage];
  throw Error(ErrorKind::bad_input, fmt::format("{}{}: stages[{}] '{}': {}", spec.origin,
                                                its.line ? fmt::format(":{}", its.line) : "", stage, its.name, what));
}

std::optional<std::size_t> place_of(const std::vector<Port>& ports, const std::string& name) {
  const auto found = std::find_if(ports.begin(), ports.end(), [&](const Port& port) { return port.name == name; });
  return found == ports.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - ports.begin()));
}

std::vector<std::string> names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(port.name);
  return names;
}

// A port without dimensions is a scalar or of unknown rank; it fits everything.
bool may_be_equal(const PartialShape& a, const PartialShape& b) {
  if (a.empty() || b.empty()) return true;
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i].value && b[i].value && *a[i].value != *b[i].value) return false;
  return true;
}

std::vector<Link> asked_links(const PipelineSpec& spec, std::size_t stage, const std::vector<StagePorts>& ports) {
  std::vector<Link> links;
  for (const auto& [input, source] : spec.stages[stage].connect) {
    const auto dot = source.find('.');
    const std::string from_name = source.substr(0, dot), output = source.substr(dot + 1);
    std::size_t from = 0;
    while (from < stage && spec.stages[from].name != from_name) ++from;
    if (from == stage) refuse_link(spec, stage, fmt::format("'{}' is not an earlier stage; connect to one", from_name));
    const auto in = place_of(ports[stage].inputs, input), out = place_of(ports[from].outputs, output);
    const auto list = [](const std::vector<std::string>& names) {
      return names.empty() ? std::string("it has no known ones") : fmt::format("use {}", fmt::join(names, ", "));
    };
    const auto ins = names_of(ports[stage].inputs), outs = names_of(ports[from].outputs);
    if (!in)
      refuse_link(spec, stage,
                  fmt::format("connect.{}: the model does not have this input; {}", printable(input),
                              suggestion(input, ins, list(ins))));
    if (!out)
      refuse_link(spec, stage,
                  fmt::format("connect.{}: '{}' has no output '{}'; {}", printable(input), from_name, printable(output),
                              suggestion(output, outs, list(outs))));
    links.push_back({static_cast<int>(from), *out, *in});
  }
  return links;
}

/// Inputs, by number, that no data of the file's own come into.
std::vector<std::size_t> free_inputs(const StageSpec& stage, const std::vector<Port>& inputs) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (stage.data.count(inputs[i].name) == 0 && !(inputs.size() == 1 && stage.data.count("") > 0))
      numbers.push_back(i);
  return numbers;
}

/// Of several stages before that have an output of one name, the last.
std::vector<Link> usual_links(const PipelineSpec& spec, std::size_t stage, const std::vector<StagePorts>& ports) {
  const auto before = givers_of(spec, order_of(spec), static_cast<int>(stage));
  const auto& inputs = ports[stage].inputs;
  const auto wanted = free_inputs(spec.stages[stage], inputs);
  std::vector<Link> links;
  for (const std::size_t i : wanted) {
    for (auto from = before.rbegin(); from != before.rend(); ++from) {
      const auto out = place_of(ports[index(*from)].outputs, inputs[i].name);
      if (!out) continue;
      links.push_back({*from, *out, i});
      break;
    }
  }
  if (!links.empty()) return links;
  for (const int from : before)
    for (std::size_t o = 0; o < ports[index(from)].outputs.size() && links.size() < wanted.size(); ++o)
      links.push_back({from, o, wanted[links.size()]});
  return links;
}

void check_fit(const PipelineSpec& spec, std::size_t stage, const std::vector<StagePorts>& ports,
               const std::vector<Link>& links) {
  const auto& inputs = ports[stage].inputs;
  for (const auto& link : links) {
    const auto& in = inputs[link.input];
    const auto& out = ports[static_cast<std::size_t>(link.from)].outputs[link.output];
    const auto& from = spec.stages[static_cast<std::size_t>(link.from)].name;
    if (hands_on_as(out.type, in.type) && may_be_equal(in.shape, out.shape)) continue;
    refuse_link(
        spec, stage,
        fmt::format("input '{}' takes {} {}, but '{}.{}' gives {} {}; connect another output, or change the model",
                    printable(in.name), type_name(in.type), to_string(in.shape), from, printable(out.name),
                    type_name(out.type), to_string(out.shape)));
  }
}

}  // namespace

std::vector<Link> links_into(const PipelineSpec& spec, std::size_t stage, const std::vector<StagePorts>& ports) {
  auto links = asked_links(spec, stage, ports);
  if (spec.stages[stage].connects_by_default) links = usual_links(spec, stage, ports);
  check_fit(spec, stage, ports, links);
  return links;
}

}  // namespace takt
