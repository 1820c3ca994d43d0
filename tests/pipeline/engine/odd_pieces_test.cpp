// Models that are odd but valid, cut wherever they can be: the pieces give what the whole gives.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "cli/odd_models.h"
#include "measure/open/prepared_model.h"
#include "pipeline/engine/piece_runs.h"
#include "pipeline/stages/model_pieces.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

class OddPieces : public testing::TestWithParam<std::string> {
 protected:
  /// What the whole model takes and gives; nullopt where this runtime cannot run it, or its values are no tensors.
  std::optional<std::pair<Values, Values>> run_whole(const std::filesystem::path& path) {
    RunSettings settings;
    settings.runtime = GetParam();
    try {
      PreparedModel prepared(path, settings);
      Values inputs;
      for (const HostTensor& value : prepared.values(prepared.open(false)->inputs())) inputs[value.name] = value;
      return std::pair(inputs, run_once(*runtime_, path, inputs));
    } catch (const Error&) {
      return std::nullopt;
    }
  }

  /// The number of pieces.
  std::size_t expect_same(const std::filesystem::path& path, Values there, const Values& whole) {
    const OnnxModel model = read_onnx_structure(path);
    const Graph graph = with_known_tensors(model);
    const auto written = write_pieces(model, graph, find_cuts(graph), {.folder = folder_ / "pieces"});
    for (const auto& piece : written.models)
      for (auto& [name, value] : run_once(*runtime_, piece, there)) there[name] = std::move(value);
    for (const auto& [name, wanted] : whole) expect_close(there.at(name), wanted, 1e-5);
    return written.models.size();
  }

  TestFolder folder_;
  std::unique_ptr<Runtime> runtime_ = make_runtime(GetParam());
};

TEST_P(OddPieces, give_what_the_whole_gives) {
  write_zoo(folder_ / "zoo");
  std::size_t models = 0, pieces = 0, seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder_ / "zoo")) {
    const auto& path = entry.path();
    // A thousand pieces take a while and are all alike.
    if (!is_onnx_file(path) || path.stem() == "graph_deep") continue;
    if (is_sanitized() && ++seen % 4 != 0) continue;
    SCOPED_TRACE(path.filename().string());
    const auto whole = run_whole(path);
    if (!whole) continue;
    ASSERT_NO_THROW(pieces += expect_same(path, whole->first, whole->second));
    ++models;
  }
  EXPECT_GE(models, is_sanitized() ? 10u : 50u);
  EXPECT_GE(pieces, 2 * models);
}

INSTANTIATE_TEST_SUITE_P(All, OddPieces, testing::ValuesIn(real_runtimes()),
                         [](const auto& named) { return named.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OddPieces);

}  // namespace
}  // namespace takt
