// What is said of runs that were not made under the same conditions.
#include "measure/compare/conditions.h"

#include <gmock/gmock.h>

#include "base/basics/error.h"
#include "measure/compare/report.h"
#include "refused.h"
#include "simulated_runs.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RecordedProfile recorded() {
  RecordedProfile profile;
  profile.origin = "p.json";
  profile.from.model = "m.onnx", profile.from.content = "01", profile.from.runtime = "sim";
  profile.from.inputs = {{"x", "f32", "{1,3,224,224}", "generated values"}};
  profile.from.settings = {{"threads", "1"}, {"iterations", "10"}};
  profile.from.precision = "f32";
  return profile;
}

std::vector<std::string> said(const RecordedProfile& before, const RecordedProfile& after, bool force = false) {
  return differing_conditions({&before, 1}, {&after, 1}, force);
}

TEST(CompareConditions, of_equal_ones_nothing_is_said) {
  RecordedProfile after = recorded();
  after.from.settings["iterations"] = "20";
  EXPECT_THAT(said(recorded(), after), IsEmpty()) << "the number of samples is no condition";
  EXPECT_THAT(said(RecordedProfile{}, RecordedProfile{}), IsEmpty()) << "older files record nothing";
}

TEST(CompareConditions, inputs_precision_threads_and_contents_are_named) {
  RecordedProfile after = recorded();
  after.from.inputs->front().shape = "{2,3,224,224}";
  EXPECT_THAT(said(recorded(), after), ElementsAre("input 'x' is f32 {1,3,224,224} before, f32 {2,3,224,224} after"));
  after = recorded(), after.from.inputs->front().origin = "values of cat.npy";
  EXPECT_THAT(said(recorded(), after), ElementsAre("input 'x' has generated values before, values of cat.npy after"));
  after = recorded(), after.from.inputs->push_back({"y", "i64", "{}", ""});
  EXPECT_THAT(said(recorded(), after), ElementsAre("input 'y' is missing before, i64 {} after"));
  after = recorded(), after.from.precision = "bf16";
  EXPECT_THAT(said(recorded(), after), ElementsAre("computed in f32 before, bf16 after"));
  after = recorded(), after.from.settings["threads"] = "2";
  EXPECT_THAT(said(recorded(), after), ElementsAre("threads differ: 1 before, 2 after"));
  after = recorded(), after.from.settings["instances"] = "4";
  EXPECT_THAT(said(recorded(), after), ElementsAre("instances differ: default before, 4 after"));
  after = recorded(), after.from.content = "02";
  EXPECT_THAT(said(recorded(), after), ElementsAre(HasSubstr("the model's files changed")));
}

TEST(CompareConditions, runs_of_one_side_that_differ_are_named_too) {
  const std::vector<RecordedProfile> before(2, recorded());
  std::vector<RecordedProfile> after(2, recorded());
  after[1].from.settings["threads"] = "2";
  EXPECT_THAT(differing_conditions(before, after, false), ElementsAre("threads differ: 1 before, 1 and 2 after"));
}

TEST(CompareConditions, what_one_side_does_not_record_is_said) {
  RecordedProfile old = recorded();
  old.from.inputs.reset(), old.origin = "old.json";
  EXPECT_THAT(said(old, recorded()), ElementsAre(HasSubstr("old.json does not record inputs and their shapes")));
}

TEST(CompareConditions, different_models_are_refused_unless_forced) {
  RecordedProfile other = recorded();
  other.from.model = "other.onnx";
  try {
    said(recorded(), other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the models differ: m.onnx, other.onnx"));
  }
  EXPECT_THAT(said(recorded(), other, true), ElementsAre("the models differ: m.onnx, other.onnx"));
}

TEST(CompareConditions, a_new_version_under_another_name_is_compared_where_its_operators_are_the_same) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2);
  after.from.model = "m_v2.onnx";
  EXPECT_THAT(said(before, after), ElementsAre("the models differ: m.onnx, m_v2.onnx"));
  after.ops[3].type = "Gemm";
  EXPECT_THAT(said(before, after), ElementsAre("the models differ: m.onnx, m_v2.onnx")) << "one of thirty";
  for (auto& op : after.ops) op.name += "x";
  EXPECT_EQ(
      refused_with([&] { said(before, after); }),
      "compare: the models differ: m.onnx, m_v2.onnx; give profiles of the same one, or --force to compare anyway");
  RecordedProfile larger = run_on({.ops = 60}, 3);
  larger.from.model = "larger.onnx";
  EXPECT_EQ(refused_with([&] { said(before, larger); }),
            "compare: the models differ: larger.onnx, m.onnx; give profiles of the same one, or --force to compare "
            "anyway")
      << "half of its time is in operators that the other lacks";
}

TEST(CompareConditions, sides_of_different_processors_are_named) {
  RecordedProfile before = recorded(), after = recorded();
  const auto found = [&] { return other_processors({&before, 1}, {&after, 1}); };
  before.from.cpu = "Xeon A";
  EXPECT_EQ(found(), std::nullopt) << "one does not tell";
  after.from.cpu = "Xeon B";
  EXPECT_EQ(found(), "the sides ran on different processors: Xeon A before, Xeon B after");
  after.from.cpu = "Xeon A";
  EXPECT_EQ(found(), std::nullopt);
  after.from.cpu = "Xeon B", before.virtual_clock = after.virtual_clock = true;
  EXPECT_EQ(found(), std::nullopt) << "a virtual clock runs on none";
}

TEST(CompareConditions, profiles_of_different_processors_get_no_verdict_unless_forced) {
  RecordedProfile before = run_on({}, 1), after = run_on({}, 2, {.all = 1.5});
  before.from.cpu = "A", after.from.cpu = "B";
  const Comparison open = compare_profiles({&before, 1}, {&after, 1}, {}, false);
  EXPECT_EQ(open.unlike, "the sides ran on different processors: A before, B after");
  EXPECT_EQ(open.whole.verdict, Verdict::unknown);
  EXPECT_TRUE(open.whole.ratio) << "the times are told all the same";
  for (const Change& op : open.ops) EXPECT_EQ(op.verdict, Verdict::unknown);
  EXPECT_EQ(outcome(open.whole, std::nullopt, true), Outcome::skipped);
  EXPECT_THAT(to_text(open, false, 120), HasSubstr("Result: no verdict, the sides ran on different processors: A"));
  const Comparison forced = compare_profiles({&before, 1}, {&after, 1}, {}, true);
  EXPECT_FALSE(forced.unlike);
  EXPECT_EQ(forced.whole.verdict, Verdict::slower);
}

}  // namespace
}  // namespace takt
