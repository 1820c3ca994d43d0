// Divided ranges, run part by part on every real runtime of this binary: put together they are the layer's formulas.
#include <fmt/format.h>

#include <map>

#include "base/basics/error.h"
#include "plan/gnn/graph_parts.h"
#include "plan/gnn/part_models.h"
#include "plan/gnn/stage_runs.h"
#include "test_folder.h"

namespace takt {
namespace {

class PartsOnRuntimes : public testing::TestWithParam<std::tuple<std::string, Network>> {
 protected:
  static Network network() { return std::get<1>(GetParam()); }
  static StageModelSettings small() { return {.features = features, .hidden = hidden}; }

  /// Stage 1 of GCN wants the whole graph. Under a sanitizer single stages and the longest ranges.
  static std::vector<StageRange> ranges() {
    auto all = ranges_of(network());
    if (network() == Network::gcn) std::erase_if(all, [](const StageRange& range) { return range.has(1); });
    const int last = static_cast<int>(stages_of(network()).size());
    if (is_sanitized())
      std::erase_if(all, [last](const StageRange& range) {
        return range.first != range.last && (range.first > 2 || range.last != last);
      });
    return all;
  }

  std::vector<HostTensor> run(const OnnxModel& model, const std::map<std::string, HostTensor>& values) {
    std::vector<HostTensor> inputs;
    for (const Port& port : ports_in(model)) inputs.push_back(values.at(port.name));
    return run_model(*runtime_, model, inputs, folder_.path());
  }

  void compare(const StageRange& range, const NamedGraph& graph, const std::vector<double>& shares) {
    const auto layer = plain_layer(network(), graph.edges, random_features(graph.edges.nodes),
                                   static_cast<std::size_t>(hidden), small().seed);
    const auto place = fmt::format("{} on {} in {} parts", to_string(range), graph.name, shares.size());
    const auto parts = parts_of(graph.edges, shares);
    std::map<std::string, HostTensor> values;
    if (const auto cut = partition_model(range, small(), graph.edges, parts)) {
      for (const Port& port : ports_in(*cut)) values[port.name] = float_tensor(port, layer.at(port.name));
      for (HostTensor& made : run(*cut, values)) values[made.name] = std::move(made);
    }
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const OnnxModel model = part_model(range, small(), parts[p]);
      std::map<std::string, HostTensor> own{{"edge_index", edge_tensor(parts[p].local)}};
      for (const Port& port : ports_in(model))
        if (port.name != "edge_index") {
          own[port.name] = values.at(part_name(port.name, p));
          own[port.name].name = port.name;
        }
      for (HostTensor& made : run(model, own)) {
        const std::string name = part_name(made.name, p);
        values[name] = std::move(made);
        values[name].name = name;
      }
    }
    const auto merged = run(merge_model(range, small(), graph.edges, parts), values);
    ASSERT_EQ(merged.size(), ports_of(range).outputs.size()) << place;
    for (const HostTensor& output : merged)
      expect_close(numbers_of(output), layer.at(output.name), 1e-4, place + ": " + output.name);
  }

 private:
  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(std::get<0>(GetParam()));
};

TEST_P(PartsOnRuntimes, put_together_they_are_the_whole) {
  for (const StageRange& range : ranges())
    for (int graph = 0; graph < (is_sanitized() ? 1 : 2); ++graph) compare(range, usual_graphs()[graph], {0.3, 0.7});
}

TEST_P(PartsOnRuntimes, three_parts_and_a_graph_with_lonely_nodes) {
  const StageRange whole{network(), network() == Network::gcn ? 2 : 1, static_cast<int>(stages_of(network()).size())};
  compare(whole, usual_graphs()[1], {0.2, 0.5, 0.3});
  compare(whole, usual_graphs()[2], {0.5, 0.5});
}

TEST(PartModels, norms_of_gcn_want_the_whole_graph) {
  const EdgeList graph = uniform_edges({40, 160}, 3);
  const auto parts = parts_of(graph, {0.5, 0.5});
  EXPECT_THROW(part_model({Network::gcn, 1, 4}, {}, parts[0]), Error);
}

INSTANTIATE_TEST_SUITE_P(All, PartsOnRuntimes,
                         testing::Combine(testing::ValuesIn(real_runtimes()), testing::ValuesIn(all_networks)),
                         [](const auto& named) {
                           return std::get<0>(named.param) + "_" + std::string(network_name(std::get<1>(named.param)));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PartsOnRuntimes);

}  // namespace
}  // namespace takt
