// Operations of operators, by hand and as PyTorch's own FlopCounterMode counts them.
#include "training/figures/flops.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "places.h"
#include "trace/read/reader.h"
#include "training/figures/operators.h"

namespace takt {
namespace {

std::optional<double> count(const char* op, const char* dims, const char* concrete = "") {
  return flops_of_call(op, dims, concrete);
}

TEST(Flops, of_products_of_matrices) {
  EXPECT_EQ(count("aten::mm", "[[2,3],[3,5]]"), 60);
  EXPECT_EQ(count("aten::addmm", "[[5],[2,3],[3,5],[],[]]"), 60);
  EXPECT_EQ(count("aten::bmm", "[[7,2,3],[7,3,5]]"), 420);
  EXPECT_EQ(count("aten::baddbmm", "[[7,2,5],[7,2,3],[7,3,5],[],[]]"), 420);
  EXPECT_EQ(count("aten::mm", "[[0,3],[3,5]]"), 0) << "an empty batch";
  EXPECT_EQ(count("aten::mm", "[[2,3],[4,5]]"), std::nullopt) << "shapes that do not fit";
  EXPECT_EQ(count("aten::mm", "[[2,3]]"), std::nullopt);
  EXPECT_EQ(count("aten::mm", "[[2,-3],[3,5]]"), std::nullopt);
  EXPECT_EQ(count("aten::mm", "no list"), std::nullopt);
  EXPECT_EQ(count("aten::linear", "[[2,3],[5,3]]"), std::nullopt) << "the addmm inside is counted";
  EXPECT_EQ(count("aten::relu", "[[2,3]]"), std::nullopt);
}

// 2 x 16 outputs of 3 x 3 (8 with padding 1 and stride 3: (8 + 2 - 3) / 3 + 1 = 3), 4 inputs a group, 3 x 3.
TEST(Flops, of_convolutions) {
  const char* const dims = "[[2,8,8,8],[16,4,3,3],[16],[],[],[],[],[],[]]";
  const double outputs = 2.0 * 16 * 3 * 3, each = 2.0 * 4 * 9;
  EXPECT_EQ(count("aten::convolution", dims, R"(["","","","[3, 3]","[1, 1]","[1, 1]","False","[0, 0]","2"])"),
            outputs * each);
  EXPECT_EQ(count("aten::convolution", dims, R"(["","","","[3]","[1]","[1]","False","[0]","2"])"), outputs * each)
      << "one number for both axes";
  EXPECT_EQ(count("aten::convolution", dims, R"(["","","","[1, 1]","[0, 0]","[3, 3]","False","[0, 0]","2"])"),
            2.0 * 16 * 2 * 2 * each)
      << "a dilation of 3 reaches over 7";
  EXPECT_EQ(count("aten::convolution", dims, R"(["","","","[1, 1]","[0, 0]","[9, 9]","False","[0, 0]","2"])"),
            std::nullopt);
  EXPECT_EQ(count("aten::convolution", dims, R"(["","","","[0, 0]","[0, 0]","[1, 1]","False","[0, 0]","2"])"),
            std::nullopt);
  EXPECT_EQ(count("aten::convolution", dims), std::nullopt) << "without the other arguments";
  // Of a transposed one each input gives 3 x 3 times the 4 outputs of its group.
  EXPECT_EQ(count("aten::convolution", "[[2,8,8,8],[8,4,3,3]]", R"(["","","","[2]","[0]","[1]","True","[0]","2"])"),
            2.0 * (2 * 8 * 64) * (4 * 9));
}

TEST(Flops, of_the_backward_pass_of_convolutions) {
  const auto of = [](const char* transposed, const char* mask) {
    const std::string concrete =
        std::string(R"(["","","","[0]","[1]","[1]","[1]",")") + transposed + R"(","[0, 0]","1",")" + mask + R"("])";
    return count("aten::convolution_backward", "[[2,16,8,8],[2,8,8,8],[16,8,3,3]]", concrete.c_str());
  };
  const double one = 2.0 * (2 * 16 * 64) * (8 * 9);
  EXPECT_EQ(of("False", "[True, True, True]"), 2 * one);
  EXPECT_EQ(of("False", "[False, True, True]"), one) << "the first layer's input needs none";
  EXPECT_EQ(of("False", "[True, False, False]"), one);
  EXPECT_EQ(of("True", "[True, True, False]"), 2 * 2.0 * (2 * 8 * 64) * (8 * 9));
  EXPECT_EQ(of("", "[True, True, False]"), std::nullopt);
}

// Scores of 2 x 4 heads, 10 queries and 12 keys of size 8; values of size 6.
TEST(Flops, of_attention) {
  const double scores = 2 * (2.0 * 4 * 10 * 12);
  EXPECT_EQ(count("aten::_scaled_dot_product_flash_attention", "[[2,4,10,8],[2,4,12,8],[2,4,12,6]]"), scores * (8 + 6));
  EXPECT_EQ(
      count("aten::_scaled_dot_product_efficient_attention_backward", "[[2,4,10,6],[2,4,10,8],[2,4,12,8],[2,4,12,6]]"),
      scores * (3 * 8 + 2 * 6));
}

// The counts of torch.utils.flop_counter for one step of the network that the trace is of, which has two; but of a
// grouped convolution's backward pass, which PyTorch counts as if it had one group: that one is by hand.
TEST(Flops, of_a_real_step_are_those_of_pytorch) {
  const TraceRead read = read_trace(source_dir() / "tests/training/figures/traces/modules.json.gz");
  std::map<std::string, double> counts;
  for (const OperatorFigure& one : operator_figures(read.trace, activity_of(read.trace))) {
    if (one.flops) counts[read.trace.text(*one.name)] = *one.flops / 2;
  }
  const double stem = 2.0 * (4 * 16 * 16 * 16) * 27, group = 2.0 * (4 * 16 * 16 * 16) * 36;
  const double up = 2.0 * (4 * 16 * 16 * 16) * 32, down = 2.0 * (4 * 32 * 8 * 8) * 128;
  const std::map<std::string, double> expected{{"aten::mm", 5772288},
                                               {"aten::addmm", 526848},
                                               {"aten::bmm", 2621440},
                                               {"aten::baddbmm", 524288},
                                               {"aten::_scaled_dot_product_flash_attention_for_cpu", 2097152},
                                               {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 5242880},
                                               {"aten::convolution", stem + group + up + down},
                                               {"aten::convolution_backward", stem + 2 * (group + up + down)}};
  EXPECT_EQ(counts, expected);
}

}  // namespace
}  // namespace takt
