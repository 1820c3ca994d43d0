#include "plan/sweep/cases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/basics/error.h"
#include "test_folder.h"

namespace takt {
namespace {

bool has(const SweepCases& cases, std::int64_t nodes, std::int64_t edges) {
  for (const GraphSize& size : cases.sizes)
    if (size.nodes == nodes && size.edges == edges) return true;
  return false;
}

std::string refusal(std::string_view json) {
  try {
    parse_cases(json, "cases.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.what();
  }
  return "accepted";
}

TEST(SweepCases, sets_have_as_many_cases_as_they_are_called_by_each_once) {
  for (const std::string& name : case_sets()) {
    const SweepCases cases = sweep_cases(name);
    std::set<std::pair<std::int64_t, std::int64_t>> different;
    for (const GraphSize& size : cases.sizes) different.emplace(size.nodes, size.edges);
    EXPECT_EQ(std::to_string(different.size()), name);
    EXPECT_EQ(cases.sizes.size(), different.size());
    EXPECT_EQ(cases.features, 500);
  }
}

TEST(SweepCases, the_default_has_no_fewer_edges_than_nodes) {
  const SweepCases cases = sweep_cases(case_sets().front());
  for (const GraphSize& size : cases.sizes) EXPECT_GE(size.edges, size.nodes);
  EXPECT_TRUE(has(cases, 1000, 1000));
  EXPECT_TRUE(has(cases, 2000, 5000));
  EXPECT_TRUE(has(cases, 10000, 10000));
}

TEST(SweepCases, larger_sets_reach_as_far_as_they_should) {
  EXPECT_TRUE(has(sweep_cases("18"), 100000, 2000000));
  EXPECT_TRUE(has(sweep_cases("35"), 5000, 600000));
  EXPECT_TRUE(has(sweep_cases("35"), 20000, 2000000));
  EXPECT_FALSE(has(sweep_cases("35"), 50000, 5000000));
  EXPECT_TRUE(has(sweep_cases("42"), 100000, 10000000));
  EXPECT_TRUE(has(sweep_cases("55"), 150000, 1500000));
}

// In thousands: of 18, nodes 186 times three ratios, edges 186 times 35.
TEST(SweepCases, sets_have_these_nodes_and_edges_in_all) {
  const auto sums = [](const char* set) {
    std::pair<std::int64_t, std::int64_t> sum;
    for (const GraphSize& size : sweep_cases(set).sizes) sum.first += size.nodes, sum.second += size.edges;
    return std::pair(sum.first / 1000, sum.second / 1000);
  };
  using Sums = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(sums("15"), Sums(42, 84));
  EXPECT_EQ(sums("18"), Sums(558, 6510));
  EXPECT_EQ(sums("35"), Sums(56 + 120 + 460, 2680 + 4950 + 13'800));
  EXPECT_EQ(sums("42"), Sums(1855, 95'400));
  EXPECT_EQ(sums("55"), Sums(2730, 14'742));
}

TEST(SweepCases, settings_of_a_file_have_limits_and_defaults) {
  const auto cases = [](const std::string& config) {
    return parse_cases(R"({"config": {)" + config + R"(}, "test_cases": [{"nodes": 1, "edges": 0}]})", "x");
  };
  EXPECT_EQ(cases("").warmup, 10);
  EXPECT_EQ(cases("").iterations, 50);
  const SweepCases least = cases(R"("feature_dim": 1, "num_warmup": 0, "num_iterations": 1)");
  EXPECT_EQ(least.features, 1);
  EXPECT_EQ(least.warmup, 0);
  EXPECT_EQ(least.iterations, 1);
  for (const char* wrong : {R"("feature_dim": 0)", R"("num_warmup": -1)", R"("num_iterations": 0)"})
    EXPECT_THROW(cases(wrong), Error) << wrong;
}

TEST(SweepCases, a_file_names_sizes_and_features) {
  const TestFolder folder;
  const auto file = folder.write("cases.json", R"({"config": {"feature_dim": 64, "num_iterations": 50},
      "test_cases": [{"nodes": 10, "edges": 0, "why": "none"}, {"nodes": 7, "edges": 2147483646}]})");
  const SweepCases cases = sweep_cases(file.string());
  ASSERT_EQ(cases.sizes.size(), 2u);
  EXPECT_TRUE(has(cases, 10, 0));
  EXPECT_TRUE(has(cases, 7, 2147483646));
  EXPECT_EQ(cases.features, 64);
  EXPECT_EQ(parse_cases(R"({"test_cases": [{"nodes": 1, "edges": 1}]})", "x").features, 500);
}

TEST(SweepCases, what_is_no_file_of_cases_is_refused) {
  for (const char* json : {"", "{", "[]", "3", "{}", R"({"test_cases": 3})", R"({"test_cases": {"nodes": 1}})"})
    EXPECT_THAT(refusal(json), testing::StartsWith("cases.json: is not a file of cases")) << json;
  EXPECT_EQ(refusal(R"({"test_cases": []})"), "cases.json: has no cases");
}

TEST(SweepCases, wrong_numbers_are_refused_with_their_case) {
  const auto case_of = [](const std::string& nodes, const std::string& edges) {
    return refusal(R"({"test_cases": [{"nodes": 1, "edges": 1}, {"nodes": )" + nodes + R"(, "edges": )" + edges +
                   "}]}");
  };
  EXPECT_EQ(case_of("0", "1"), "cases.json: case 2: 'nodes' is 0; give a whole number from 1 to 2147483646");
  EXPECT_EQ(case_of("1", "-1"), "cases.json: case 2: 'edges' is -1; give a whole number from 0 to 2147483646");
  for (const char* wrong :
       {"1.5", "\"1\"", "null", "[1]", "2147483647", "18446744073709551615", "-9223372036854775808", "1e3", "true"})
    EXPECT_THAT(case_of(wrong, "1"), testing::StartsWith("cases.json: case 2: 'nodes' is ")) << wrong;
  EXPECT_THAT(case_of("1", "1"), testing::HasSubstr("are listed twice"));
  EXPECT_EQ(refusal(R"({"test_cases": [{"nodes": 1}]})"), "cases.json: case 1: has no 'edges'");
  EXPECT_EQ(refusal(R"({"test_cases": [[1, 2]]})"), "cases.json: case 1: has no 'nodes'");
  EXPECT_THAT(refusal(R"({"config": {"feature_dim": 0}, "test_cases": []})"), testing::HasSubstr("'feature_dim' is 0"));
  EXPECT_EQ(refusal(R"({"config": 3, "test_cases": []})"), "cases.json: has no cases");
}

TEST(SweepCases, a_number_that_is_no_set_is_not_taken_for_a_file) {
  try {
    sweep_cases("16");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              "the set of 16 cases does not exist; name one of 15, 18, 35, 42, 55, or a file");
  }
}

}  // namespace
}  // namespace takt
