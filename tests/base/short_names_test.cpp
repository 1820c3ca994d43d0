#include "base/table/short_names.h"

#include <gmock/gmock.h>

#include <set>
#include <vector>

#include "base/basics/text.h"

using testing::ElementsAre;
using testing::HasSubstr;

namespace takt {
namespace {

/// What an exporter calls the projections of a network with many layers.
std::vector<std::string> encoder_names() {
  std::vector<std::string> names;
  for (const char* layer : {"0", "1", "2", "10"})
    for (const char* part : {"attention/self/query", "attention/output/dense", "intermediate/dense"})
      names.push_back("/m/encoder/layer." + std::string(layer) + "/" + part + "/MatMul");
  return names;
}

TEST(ShortNames, what_all_names_share_goes_and_what_differs_stays) {
  const auto names = encoder_names(), cut = short_names(names, 26);
  EXPECT_EQ(cut.at(4), "…/layer.1…/output/dense…");
  for (std::size_t i = 0; i < cut.size(); ++i) {
    EXPECT_LE(display_width(cut[i]), 26u);
    EXPECT_THAT(cut[i], HasSubstr(names[i].substr(11, 7)));  // "layer.N"
  }
  EXPECT_EQ(std::set(cut.begin(), cut.end()).size(), names.size());
}

TEST(ShortNames, different_names_stay_different_however_narrow_the_column) {
  for (const std::size_t width : {8, 12, 16, 20, 30, 40}) {
    const auto cut = short_names(encoder_names(), width);
    if (width >= 20) {
      EXPECT_EQ(std::set(cut.begin(), cut.end()).size(), cut.size()) << width;
    }
    for (const auto& name : cut) EXPECT_LE(display_width(name), width);
  }
}

TEST(ShortNames, names_of_points_and_underscores_lose_their_common_words) {
  const std::vector<std::string> names{"model_decoder_layers_7_self_attn_q_proj_matmul",
                                       "model_decoder_layers_7_self_attn_k_proj_matmul",
                                       "model_decoder_layers_8_self_attn_q_proj_matmul"};
  const auto cut = short_names(names, 24);
  EXPECT_EQ(std::set(cut.begin(), cut.end()).size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LE(display_width(cut[i]), 24u) << cut[i];
  EXPECT_THAT(cut[0], HasSubstr("_7"));
  EXPECT_THAT(cut[2], HasSubstr("_8"));
}

TEST(ShortNames, a_single_long_word_keeps_both_ends_unless_names_would_read_alike) {
  EXPECT_THAT(short_names(std::vector<std::string>{"abcdefghijklmnop"}, 7), ElementsAre("abc…nop"));
  const std::string left(10, 'a'), right(10, 'z');
  EXPECT_THAT(short_names(std::vector<std::string>{left + "1" + right, left + "2" + right}, 7),
              ElementsAre("…aa1zz…", "…aa2zz…"));
}

TEST(ShortNames, short_names_and_equal_names_are_left_alone) {
  EXPECT_THAT(short_names(std::vector<std::string>{"conv1", "conv1", ""}, 5), ElementsAre("conv1", "conv1", ""));
  EXPECT_TRUE(short_names({}, 8).empty());
}

TEST(ShortNames, characters_of_several_bytes_are_never_divided) {
  for (const std::size_t width : {3, 5, 8})
    for (const auto& name : short_names(std::vector<std::string>{"äöüäöüäöüäöü", "äöüäöüßöüäöü"}, width)) {
      EXPECT_LE(display_width(name), width);
      EXPECT_EQ(printable(name), name);
    }
}

}  // namespace
}  // namespace takt
