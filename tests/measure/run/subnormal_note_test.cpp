// What is said of a model whose weights are subnormal numbers, with real runs.
#include "measure/open/subnormal_note.h"

#include <gmock/gmock.h>

#include "measure/run/run.h"
#include "model/onnx/builder.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class SubnormalNote : public testing::Test {
 protected:
  SubnormalNote() {
    ModelBuilder b;
    const auto sum = b.node("Add", {b.input("x", ElementType::f32, {4}), b.floats({1, 1, 1, 1e-40F}, {4}, "decayed")});
    b.output(b.node("Mul", {sum, b.floats({1, 1, 1e-39F, 1e-40F}, {4}, "worst")}));
    write_onnx(b.build(), model_);
  }

  RunResult of(const std::string& runtime, const std::string& device = "CPU") const {
    RunResult result;
    result.model = model_, result.runtime = runtime, result.device = device;
    return result;
  }

  TestFolder folder_;
  std::filesystem::path model_ = folder_ / "m.onnx";
};

TEST_F(SubnormalNote, names_the_weights_and_the_switch_of_the_runtime) {
  for (const std::string& runtime : runtime_names()) {
    const auto notes = subnormal_note(of(runtime), {});
    if (traits_of(runtime).subnormals_as_zero.empty()) {
      EXPECT_THAT(notes, IsEmpty()) << runtime << " computes with them as fast";
      continue;
    }
    EXPECT_THAT(
        notes,
        ElementsAre("weights are subnormal numbers (closer to 0 than 1.2e-38): 50 % of worst and some of 1 other; "
                    "processors can take a hundred times longer over them; --property "
                    "session.set_denormal_as_zero=1 computes with zeros instead"));
    EXPECT_THAT(subnormal_note(of(runtime, "GPU"), {}), IsEmpty());
  }
}

TEST_F(SubnormalNote, has_the_share_in_figures_that_it_carries) {
  const auto said = [&](std::size_t weights, std::size_t subnormal, int others) {
    std::vector<float> values(weights, 1);
    std::fill_n(values.begin(), subnormal, 1e-40F);
    const Shape shape{static_cast<std::int64_t>(weights)};
    ModelBuilder b;
    auto sum = b.node("Add", {b.input("x", ElementType::f32, shape), b.floats(values, shape, "worst")});
    for (int i = 0; i < others; ++i) {
      std::vector<float> fewer(weights, 1);
      fewer[0] = 1e-40F;
      sum = b.node("Add", {sum, b.floats(fewer, shape, "other" + std::to_string(i))});
    }
    b.output(sum);
    write_onnx(b.build(), model_);
    for (const std::string& runtime : runtime_names()) {
      const auto notes = subnormal_note(of(runtime), {});
      if (!traits_of(runtime).subnormals_as_zero.empty())
        return notes.empty() ? "" : notes[0].substr(0, notes[0].find("; "));
    }
    return std::string("skipped");
  };
  const std::string first = said(4, 0, 0);
  if (first == "skipped") GTEST_SKIP() << "no runtime that says it";
  EXPECT_EQ(first, "") << "ordinary weights";
  const std::string begin = "weights are subnormal numbers (closer to 0 than 1.2e-38): ";
  EXPECT_EQ(said(4, 1, 0), begin + "25 % of worst");
  EXPECT_EQ(said(10, 3, 2), begin + "30 % of worst and some of 2 others");
  EXPECT_EQ(said(16, 1, 0), begin + "6.2 % of worst");
  EXPECT_EQ(said(1000, 1, 0), begin + "0.1 % of worst");
  EXPECT_EQ(said(1001, 1, 0), begin + "less than 0.1 % of worst");
}

TEST_F(SubnormalNote, of_a_run_stands_in_its_result_unless_zeros_were_asked_for) {
  for (const std::string& runtime : runtime_names()) {
    const RuntimeTraits traits = traits_of(runtime);
    if (traits.subnormals_as_zero.empty()) continue;
    RunSettings settings;
    settings.runtime = runtime, settings.iterations = 1, settings.warmup_iterations = 0;
    const auto said = Contains(HasSubstr("weights are subnormal numbers"));
    EXPECT_THAT(run_model(model_, settings, RunPasses::plain).notes, said);
    settings.properties = traits.subnormals_as_zero;
    EXPECT_THAT(run_model(model_, settings, RunPasses::plain).notes, Not(said));
  }
}

// The product of two ordinary constants, which the runtime computes once.
TEST(SubnormalNoteOfFolding, names_what_only_the_runtime_made) {
  const TestFolder folder;
  ModelBuilder b;
  const auto product =
      b.node("Mul", {b.floats({1, 1e-20F}, {2}), b.floats({1, 1e-20F}, {2})}, {}, {.outputs = {"folded"}});
  b.output(b.node("Mul", {b.input("x", ElementType::f32, {2}), product}, {}, {.name = "mul", .outputs = {"y"}}));
  const auto model = folder / "m.onnx";
  write_onnx(b.build(), model);
  for (const std::string& runtime : runtime_names()) {
    const RuntimeTraits traits = traits_of(runtime);
    if (traits.subnormals_as_zero.empty()) continue;
    RunSettings settings;
    settings.runtime = runtime, settings.iterations = 1, settings.warmup_iterations = 0;
    const auto said = Contains(HasSubstr("weights are subnormal numbers (closer to 0 than 1.2e-38): 50 % of folded;"));
    EXPECT_THAT(run_model(model, settings, RunPasses::both).notes, said);
    settings.properties = traits.subnormals_as_zero;
    EXPECT_THAT(run_model(model, settings, RunPasses::both).notes, Not(Contains(HasSubstr("subnormal"))));
  }
}

}  // namespace
}  // namespace takt
