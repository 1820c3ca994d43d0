#include "plan/sweep/stage_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/half.h"
#include "base/basics/text.h"
#include "base/statistics/random.h"
#include "plan/gnn/random_edges.h"

namespace takt {
namespace {

std::size_t count_of(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t dim : shape) count *= static_cast<std::size_t>(dim);
  return count;
}

template <typename Value>
void put_values(HostTensor& tensor, const std::vector<Value>& values) {
  tensor.bytes.resize(values.size() * sizeof(Value));
  if (!values.empty()) std::memcpy(tensor.bytes.data(), values.data(), tensor.bytes.size());
}

/// Gigabytes of features are no more random than the first million numbers of them, which repeat.
template <typename Value, typename Draw>
std::vector<Value> drawn(std::size_t count, Draw draw) {
  constexpr std::size_t block = 1'000'003;
  std::vector<Value> values(count);
  for (std::size_t i = 0; i < std::min(count, block); ++i) values[i] = draw();
  for (std::size_t from = block; from < count; from += block)
    std::copy_n(values.begin(), std::min(block, count - from), values.begin() + static_cast<std::ptrdiff_t>(from));
  return values;
}

void fill_indices(HostTensor& tensor, const StageTensor& what, const EdgeList& edges) {
  if (what.name == "num_nodes") return put_values(tensor, std::vector<std::int64_t>{edges.nodes});
  TAKT_CHECK(what.name == "edge_index");
  std::vector<std::int64_t> both = edges.sources;
  both.insert(both.end(), edges.targets.begin(), edges.targets.end());
  put_values(tensor, both);
}

void fill_numbers(HostTensor& tensor, const StageTensor& what, Random& random) {
  const std::size_t count = count_of(tensor.shape);
  const bool counts = what.holds == Holds::counts;
  const auto draw = [&] {
    return static_cast<float>(counts ? 1 + random() % 8 : 0) + static_cast<float>(counts ? 0 : 2 * uniform(random) - 1);
  };
  if (tensor.type == ElementType::f16)
    put_values(tensor, drawn<std::uint16_t>(count, [&] { return to_half(draw()); }));
  else
    put_values(tensor, drawn<float>(count, draw));
}

}  // namespace

EdgeList edges_of(const SweepGraph& graph, const GraphSize& size) {
  if (graph.kind == "uniform") return uniform_edges(size, graph.seed);
  if (graph.kind == "power-law") return power_law_edges(size, graph.seed);
  return read_edge_list(graph.kind);
}

std::vector<HostTensor> stage_inputs(const StageRange& range, const std::vector<Port>& wanted, const EdgeList& edges,
                                     std::int64_t features, std::uint64_t seed) {
  const GraphSize size{edges.nodes, edges.edges()};
  const RangePorts ports = ports_of(range);
  Random random(seed);
  std::vector<HostTensor> inputs;
  for (const Port& port : wanted) {
    const auto found = std::find_if(ports.inputs.begin(), ports.inputs.end(),
                                    [&](const StageTensor& one) { return one.name == port.name; });
    if (found == ports.inputs.end())
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: its exported model has the input '{}', which the stage does not have; export it again",
                      to_string(range), printable(port.name)));
    HostTensor tensor{port.name, port.type, shape_of(*found, size, features), {}, {}};
    if (found->holds == Holds::indices)
      fill_indices(tensor, *found, edges);
    else
      fill_numbers(tensor, *found, random);
    inputs.push_back(std::move(tensor));
  }
  return inputs;
}

}  // namespace takt
