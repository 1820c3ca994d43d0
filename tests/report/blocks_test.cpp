#include "report/results/blocks.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/results/repeats.h"

namespace takt {
namespace {

/// Operators of these names, each of 1 µs; all are of one type.
std::vector<ReportStep> named(const std::vector<std::string>& names) {
  std::vector<ReportStep> steps;
  for (const std::string& name : names) steps.push_back({name, "Add", "k4", Duration(1), {}});
  return steps;
}

/// So many operators without names, whose types a function tells.
std::vector<ReportStep> typed(std::size_t count, std::string (*type_of)(std::size_t)) {
  std::vector<ReportStep> steps;
  for (std::size_t at = 0; at < count; ++at) steps.push_back({"", type_of(at), "k0", Duration(1), {}});
  return steps;
}

/// "enc 130, enc > layer.0 30, …": blocks with what is around them, and how many operators they have.
std::string words_of_blocks(const std::vector<ReportBlock>& blocks) {
  std::string text;
  for (const ReportBlock& block : blocks)
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", block.parent ? blocks[*block.parent].name + " > " : "",
                        block.name, block.steps);
  return text;
}

/// Four layers of an attention of 10 operators, an mlp of 20 and a sum without a scope; then a head of 3.
std::vector<ReportStep> layers() {
  std::vector<std::string> names;
  for (int layer = 0; layer < 4; ++layer) {
    for (int at = 0; at < 10; ++at) names.push_back(fmt::format("/model/enc/layer.{}/attention/q/Add_{}", layer, at));
    names.emplace_back("Fused_7");
    for (int at = 0; at < 20; ++at) names.push_back(fmt::format("/model/enc/layer.{}/mlp/Add_{}", layer, at));
  }
  for (int at = 0; at < 3; ++at) names.push_back(fmt::format("/model/head/Add_{}", at));
  return named(names);
}

TEST(Blocks, are_the_scopes_of_names_and_small_ones_belong_to_what_is_around_them) {
  auto steps = layers();
  const auto blocks = blocks_of(steps);
  EXPECT_EQ(words_of_blocks(blocks),
            "model 127, model > enc 124, enc > layer.0 31, layer.0 > attention/q 10, layer.0 > mlp 20, "
            "enc > layer.1 31, layer.1 > attention/q 10, layer.1 > mlp 20, enc > layer.2 31, layer.2 > attention/q 10, "
            "layer.2 > mlp 20, enc > layer.3 31, layer.3 > attention/q 10, layer.3 > mlp 20");
  EXPECT_EQ(steps[10].block, 2u) << "between two scopes: of what they have in common";
  EXPECT_EQ(steps[9].block, 3u);
  EXPECT_EQ(steps[124].block, 0u) << "the head is too small";
}

TEST(Blocks, have_the_time_of_all_that_is_inside_and_those_alike_are_told_together) {
  auto steps = layers();
  steps[35].time = Duration(74);  // of layer.1: it takes 104 of 200 µs
  const auto blocks = blocks_of(steps);
  EXPECT_EQ(blocks[5].time, Duration(104));
  EXPECT_EQ(blocks[0].time, Duration(200));
  EXPECT_EQ(blocks_title(blocks, steps),
            "4 blocks like layer.0 take 98.5 % of the operators' time; the longest: layer.1, 104 µs");
}

TEST(Blocks, of_dotted_names_are_the_same) {
  std::vector<std::string> names;
  for (int layer = 0; layer < 10; ++layer)
    for (int at = 0; at < 11; ++at)
      names.push_back(fmt::format("__module.layers.{}.mlp.up/aten::linear/MatMul", layer));
  auto steps = named(names);
  EXPECT_TRUE(
      words_of_blocks(blocks_of(steps)).starts_with("__module 110, __module > layers.0/mlp/up/aten::linear 11, "));
}

TEST(Blocks, without_scopes_are_what_repeats_and_the_rest_is_told_by_its_place) {
  auto steps = typed(40 + 5 * 60 + 13, [](std::size_t at) {
    return at < 40    ? fmt::format("begin {}", at)
           : at < 340 ? fmt::format("layer {}", (at - 40) % 60)
                      : fmt::format("end {}", at);
  });
  EXPECT_EQ(words_of_blocks(blocks_of(steps)),
            "operators 1 to 40 40, repeat 1 60, repeat 2 60, repeat 3 60, repeat 4 60, repeat 5 60, "
            "operators 341 to 353 13");
  EXPECT_EQ(blocks_title(blocks_of(steps), steps),
            "5 blocks like repeat 1 take 85.0 % of the operators' time; the longest: repeat 1, 60.0 µs");
}

TEST(Blocks, of_what_repeats_nothing_are_rows_of_two_hundred) {
  auto steps = typed(405, [](std::size_t at) { return std::to_string(at); });
  EXPECT_EQ(words_of_blocks(blocks_of(steps)),
            "operators 1 to 200 200, operators 201 to 400 200, operators 401 to 405 5");
  EXPECT_EQ(steps[399].block, 1u);
  EXPECT_EQ(steps[400].block, 2u);
}

TEST(Blocks, small_models_have_none) {
  std::vector<ReportStep> none;
  EXPECT_TRUE(blocks_of(none).empty());
  auto steps = layers();
  steps.resize(99);
  EXPECT_TRUE(blocks_of(steps).empty());
  EXPECT_EQ(blocks_title({}, steps), "");
}

TEST(Blocks, bear_hostile_names) {
  std::string deep;
  for (int at = 0; at < 5000; ++at) deep += "/a";
  auto steps = named(std::vector<std::string>(120, deep));
  EXPECT_EQ(blocks_of(steps).size(), 1u);
  auto odd = named(std::vector<std::string>(120, "/"));
  EXPECT_TRUE(blocks_of(odd).empty());
}

TEST(Repeats, the_shortest_piece_that_covers_nearly_all_is_found) {
  const std::vector<std::uint32_t> words{9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 8};
  const auto found = longest_repeat(words, 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first, 1u);
  EXPECT_EQ(found->length, 3u);
  EXPECT_EQ(found->count, 4u);
  EXPECT_FALSE(longest_repeat(words, 7));
  EXPECT_FALSE(longest_repeat({}, 2));
  EXPECT_FALSE(longest_repeat(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}, 2));
}

}  // namespace
}  // namespace takt
