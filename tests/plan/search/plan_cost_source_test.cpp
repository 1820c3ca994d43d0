#include "plan/estimate/cost_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "refused.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* laws = R"({"units": ["CPU", "GPU"], "times_us": {"CPU": [{"per_node": 1}], "GPU": [7]}})";
constexpr const char* raw = R"({"10,20,CPU,1-7": {"mean": 2, "std": 0.1, "min": 1.9, "max": 2.2},
                                "50,10,CPU,1-7": {"mean": 3, "std": 0.1, "min": 2.9, "max": 3.2}})";

class PlanCostSources : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& name, std::string_view text) {
    write_file_atomically(folder_.path() / name, text);
    return folder_.path() / name;
  }
  std::string refusal(const PlanCostSource& source, const std::optional<GraphSize>& size) {
    try {
      source.at(size);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder_{"takt_costs"};
};

TEST_F(PlanCostSources, are_files_of_costs_of_one_size_or_of_all) {
  const PlanCostSource by_size(file("laws.json", laws));
  EXPECT_TRUE(by_size.by_size());
  EXPECT_FALSE(by_size.is_sweep());
  EXPECT_EQ(by_size.at(GraphSize{30, 0})->time({1, 1}, 0, 1)->count(), 30'000);
  EXPECT_EQ(by_size.by_sizes()({40, 0})->time({1, 1}, 0, 1)->count(), 40'000);
  EXPECT_THAT(refusal(by_size, {}), HasSubstr("laws.json: costs depend on the size of a batch"));
  EXPECT_FALSE(by_size.measured_range());
  EXPECT_FALSE(by_size.draws({30, 0}));
  const PlanCostSource fixed(file("fixed.json", R"({"units": ["CPU"], "times_us": {"CPU": [7]}})"));
  EXPECT_EQ(fixed.at({})->time({1, 1}, 0, 1)->count(), 7'000);
  EXPECT_THAT(refusal(fixed, GraphSize{30, 0}), HasSubstr("fixed.json: has the costs of one size"));
}

TEST_F(PlanCostSources, are_what_a_sweep_measured) {
  std::filesystem::create_directories(folder_.path() / "results");
  file("results/raw_measurements.json", raw);
  const PlanCostSource sweep(folder_.path());
  EXPECT_TRUE(sweep.is_sweep() && sweep.by_size());
  EXPECT_EQ(sweep.at(GraphSize{10, 20})->time({1, 7}, 0, 1)->count(), 2'000'000);
  EXPECT_EQ(sweep.measured_range()->first.edges, 20);
  EXPECT_EQ(sweep.measured_range()->second.nodes, 50);
  const auto draws = sweep.draws({10, 20});
  ASSERT_TRUE(draws);
  EXPECT_THAT(draws->unknown_blocks(parse_plan("CPU[1-7]", "")), ElementsAre("stages 1-7 on CPU"));
}

TEST_F(PlanCostSources, of_a_sweep_have_the_slow_downs_that_it_measured) {
  std::filesystem::create_directories(folder_.path() / "results");
  file("results/raw_measurements.json", R"({"10,20,CPU,1-7": {"mean": 2, "std": 0.1, "min": 1.9, "max": 2.2},
                                            "10,20,GPU,1-7": {"mean": 3, "std": 0.1, "min": 2.9, "max": 3.2}})");
  const auto slowed = [](const PlanCostSource& source) {
    return source.at(GraphSize{10, 20})->slow_down({1, 3}, 0, {4, 7}, 1);
  };
  const PlanCostSource before(folder_.path());
  EXPECT_EQ(slowed(before), 1);
  EXPECT_TRUE(before.interference().empty());
  const std::string pairs = R"({"tables": {"pairs": [{"stage": "CPU[1-3]", "beside": "GPU[4-7]", "factor": 1.5,
      "p_value": 1, "significant": "yes", "source": "predicted"}]}})";
  const auto own = file("results/interference.json", pairs);
  const PlanCostSource after(folder_.path());
  EXPECT_EQ(slowed(after), 1.5);
  EXPECT_EQ(after.interference(), own);
  EXPECT_EQ(after.files().size(), 2u) << "a result of these costs is one of the slow-downs, too";
  EXPECT_EQ(after.by_sizes()({10, 20})->slow_down({1, 3}, 0, {4, 7}, 1), 1.5);
  EXPECT_EQ(slowed(PlanCostSource(folder_.path(), {.no_interference = true})), 1);
  EXPECT_EQ(slowed(PlanCostSource(folder_.path() / "results/raw_measurements.json")), 1) << "rows alone are rows";
  const auto named = file("named.json", R"({"tables": {"pairs": []}})");
  EXPECT_EQ(slowed(PlanCostSource(folder_.path(), {.interference = named})), 1);
  file("results/interference.json", "{");
  EXPECT_EQ(refused_with([&] { PlanCostSource(folder_.path()); }),
            (folder_.path() / "results/interference.json").string() +
                ": has no measured slowdowns; make them with 'takt pipeline interference FILE.yaml --save'");
}

TEST_F(PlanCostSources, name_their_files_and_tell_other_contents_apart) {
  const auto pairs = file("pairs.json", R"({"tables": {"pairs": [
      {"stage": "CPU", "beside": "GPU", "factor": 1.5, "p_value": 0.001, "significant": "yes"}]}})");
  const PlanCostSource source(file("laws.json", laws), {.interference = pairs});
  EXPECT_EQ(source.at(GraphSize{30, 0})->slow_down({1, 1}, 0, {1, 1}, 1), 1.5);
  ASSERT_EQ(source.files().size(), 2u);
  EXPECT_THAT(source.files()[0].name, HasSubstr("laws.json"));
  EXPECT_EQ(source.files()[0].contents.size(), 16u);
  const PlanCostSource again(file("laws2.json", laws)), other(file("laws3.json", std::string(laws) + " "));
  EXPECT_EQ(again.files()[0].contents, source.files()[0].contents);
  EXPECT_NE(other.files()[0].contents, source.files()[0].contents);
  EXPECT_THAT(PlanCostSource(file("laws.json", laws), {.units = {"gpu"}}).at(GraphSize{3, 0})->units(),
              ElementsAre("GPU"));
}

}  // namespace
}  // namespace takt
