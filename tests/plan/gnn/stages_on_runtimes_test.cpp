// The models that takt builds of the stages, run by every real runtime of this binary and held against the formulas.
#include <fmt/format.h>

#include "plan/gnn/stage_runs.h"
#include "test_folder.h"

namespace takt {
namespace {

/// The edges in the order of their targets; those of one target stay in the order they had.
EdgeList sorted_by_target(const EdgeList& list) {
  std::vector<std::size_t> next(static_cast<std::size_t>(list.nodes) + 1, 0);
  for (const std::int64_t target : list.targets) ++next[static_cast<std::size_t>(target) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  EdgeList sorted{list.nodes, std::vector<std::int64_t>(list.sources.size()),
                  std::vector<std::int64_t>(list.targets.size())};
  for (std::size_t i = 0; i < list.sources.size(); ++i) {
    const std::size_t place = next[static_cast<std::size_t>(list.targets[i])]++;
    sorted.sources[place] = list.sources[i];
    sorted.targets[place] = list.targets[i];
  }
  return sorted;
}

class StagesOnRuntimes : public testing::TestWithParam<std::tuple<std::string, Network>> {
 protected:
  static const std::string& runtime_name() { return std::get<0>(GetParam()); }
  static Network network() { return std::get<1>(GetParam()); }
  static StageRange whole() { return {network(), 1, static_cast<int>(stages_of(network()).size())}; }
  /// All; under a sanitizer single stages and the whole layer, one graph instead of all.
  static std::vector<StageRange> ranges() {
    std::vector<StageRange> all = ranges_of(network());
    if (is_sanitized())
      std::erase_if(all, [](const StageRange& range) {
        return range.first != range.last && (range.first != 1 || range.last != whole().last);
      });
    return all;
  }
  static std::vector<NamedGraph> graphs() {
    return is_sanitized() ? std::vector{usual_graphs().back()} : usual_graphs();
  }
  static StageModelSettings small() { return {.features = features, .hidden = hidden}; }

  /// The outputs of the range's model, fed with what the formulas give for the stages before it.
  std::vector<HostTensor> run(const StageRange& range, const StageModelSettings& settings, const EdgeList& edges,
                              const std::map<std::string, PlainTensor>& layer) {
    const OnnxModel model = stage_model(range, settings);
    std::vector<HostTensor> inputs;
    for (const Port& port : ports_in(model)) {
      inputs.push_back(port.name == "edge_index"  ? edge_tensor(edges)
                       : port.name == "num_nodes" ? node_tensor(edges)
                                                  : float_tensor(port, layer.at(port.name)));
    }
    return run_model(*runtime_, model, inputs, folder_.path());
  }

  void compare(const StageRange& range, const StageModelSettings& settings, const NamedGraph& graph, double tolerance) {
    const auto layer = plain_layer(network(), graph.edges, random_features(graph.edges.nodes),
                                   static_cast<std::size_t>(hidden), settings.seed);
    const auto place = fmt::format("{} on {}", to_string(range), graph.name);
    std::vector<HostTensor> outputs;
    ASSERT_NO_THROW(outputs = run(range, settings, graph.edges, layer)) << place;
    ASSERT_EQ(outputs.size(), ports_of(range).outputs.size()) << place;
    for (const HostTensor& output : outputs)
      expect_close(numbers_of(output), layer.at(output.name), tolerance, place + ": " + output.name);
  }

 private:
  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(runtime_name());
};

TEST_P(StagesOnRuntimes, every_range_computes_what_the_formulas_say) {
  for (const StageRange& range : ranges())
    for (const NamedGraph& graph : graphs()) compare(range, small(), graph, 1e-4);
}

TEST_P(StagesOnRuntimes, graphs_of_one_node_or_without_an_edge_are_no_exception) {
  for (const StageRange& range : ranges())
    if (range.first == range.last || (range.first == 1 && range.last == whole().last))
      for (const NamedGraph& graph : small_graphs()) {
        // OpenVINO's CPU ends the program where it scatters no rows at all.
        if (runtime_name() == "openvino" && graph.edges.edges() == 0) continue;
        compare(range, small(), graph, 1e-4);
      }
}

TEST_P(StagesOnRuntimes, models_of_one_size_compute_the_same) {
  const NamedGraph graph = usual_graphs()[1];
  StageModelSettings settings = small();
  settings.size = {graph.edges.nodes, graph.edges.edges()};
  for (const StageRange& range : ranges()) compare(range, settings, graph, 1e-4);
}

TEST_P(StagesOnRuntimes, halves_are_right_to_three_digits) {
  StageModelSettings settings = small();
  settings.precision = ElementType::f16;
  for (const StageRange& range : ranges()) {
    const auto& stages = stages_of(network());
    const bool sums_features = std::any_of(stages.begin() + range.first - 1, stages.begin() + range.last,
                                           [](const Stage& stage) { return stage.name == "REDUCE_SUM"; });
    // ONNX Runtime's CPU adds no halves in ScatterElements and says so; these models are for GPUs.
    if (runtime_name() == "onnxruntime" && sums_features) continue;
    compare(range, settings, usual_graphs()[0], 1e-2);
  }
}

TEST_P(StagesOnRuntimes, bags_compute_what_the_formulas_say) {
  if (runtime_name() != "openvino") GTEST_SKIP() << "only OpenVINO reads embedding_bag";
  StageModelSettings settings = small();
  settings.aggregation = Aggregation::bag;
  std::vector<NamedGraph> sorted = graphs();
  sorted.push_back(small_graphs()[0]);
  for (NamedGraph& graph : sorted) graph.edges = sorted_by_target(graph.edges);
  for (const StageRange& range : ranges())
    if (can_bag(range))
      for (const NamedGraph& graph : sorted) compare(range, settings, graph, 1e-4);
}

TEST_P(StagesOnRuntimes, a_node_with_thousands_of_edges_gets_every_one_of_them) {
  if (network() != Network::sage) GTEST_SKIP() << "shown with the network that counts edges";
  // 4000 edges to node 0; every feature is 1, so that each sum is the number of edges, exactly.
  EdgeList star{40, std::vector<std::int64_t>(4000), std::vector<std::int64_t>(4000, 0)};
  for (std::size_t i = 0; i < star.sources.size(); ++i) star.sources[i] = static_cast<std::int64_t>(i % 40);
  PlainTensor ones = plain_tensor(40, static_cast<std::size_t>(features));
  std::fill(ones.values.begin(), ones.values.end(), 1.0);
  const auto layer = plain_layer(network(), star, ones, static_cast<std::size_t>(hidden), 42);
  for (int repetition = 0; repetition < 5; ++repetition)
    for (const HostTensor& output : run({network(), 1, 4}, small(), star, layer))
      EXPECT_EQ(numbers_of(output), layer.at(output.name).values) << output.name;
  // Halves cannot count beyond 2048.
  StageModelSettings halves = small();
  halves.precision = ElementType::f16;
  EXPECT_EQ(numbers_of(run({network(), 4, 4}, halves, star, layer).at(0)).at(0), 4000);
}

INSTANTIATE_TEST_SUITE_P(All, StagesOnRuntimes,
                         testing::Combine(testing::ValuesIn(real_runtimes()), testing::ValuesIn(all_networks)),
                         [](const auto& named) {
                           return std::get<0>(named.param) + "_" + std::string(network_name(std::get<1>(named.param)));
                         });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StagesOnRuntimes);

}  // namespace
}  // namespace takt
