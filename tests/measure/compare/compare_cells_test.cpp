// What stands in which cell of the tables of `takt compare`, and in its sentences.
#include <gmock/gmock.h>

#include "measure/compare/report.h"
#include "table_cells.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Duration us(double count) { return Duration(count); }

/// A whole run that became faster, an operator that became slower, one that is new and one that is gone.
Comparison comparison() {
  Comparison c;
  c.before = "a.json", c.after = "b.json";
  c.whole = {"[whole run]", "", us(1000), us(875), -0.125, -0.25, -0.0625, 1, Verdict::faster};
  c.ops = {{"conv", "Conv", us(100), us(150), 0.5, 0.25, 0.75, 0.375, Verdict::slower},
           {"new", "Add", {}, us(20), {}, {}, {}, 0.03125, Verdict::added},
           {"old", "", us(30), {}, {}, {}, {}, 0.5, Verdict::removed}};
  c.detectable_whole = 0.02, c.detectable_op = 0.03;
  c.notes = {"another machine", "few samples"};
  return c;
}

TEST(Cells, of_compare_whole) {
  Comparison second = comparison();
  second.after = "c.json", second.whole = {"[whole run]", "", {}, {}, {}, {}, {}, 1, Verdict::unknown};
  const Comparison both[] = {comparison(), second};
  expect_cells(table_named(compare_tables(both), "whole"), {{"compared", {"b.json", "c.json"}},
                                                            {"name", {"[whole run]", "[whole run]"}},
                                                            {"type", {"", ""}},
                                                            {"before_us", {"1000", ""}},
                                                            {"after_us", {"875", ""}},
                                                            {"change_percent", {"-12.5", ""}},
                                                            {"low_percent", {"-25", ""}},
                                                            {"high_percent", {"-6.25", ""}},
                                                            {"weight_percent", {"100", "100"}},
                                                            {"verdict", {"faster", "unknown"}}});
}

TEST(Cells, of_compare_operators) {
  const Comparison one = comparison();
  expect_cells(table_named(compare_tables(std::span(&one, 1)), "operators"),
               {{"compared", {"b.json", "b.json", "b.json"}},
                {"name", {"conv", "new", "old"}},
                {"type", {"Conv", "Add", ""}},
                {"before_us", {"100", "", "30"}},
                {"after_us", {"150", "20", ""}},
                {"change_percent", {"50", "", ""}},
                {"low_percent", {"25", "", ""}},
                {"high_percent", {"75", "", ""}},
                {"weight_percent", {"37.5", "3.125", "50"}},
                {"verdict", {"slower", "added", "removed"}}});
}

TEST(Cells, of_compare_notes) {
  const Comparison one = comparison();
  expect_cells(table_named(compare_tables(std::span(&one, 1)), "notes"),
               {{"compared", {"b.json", "b.json"}}, {"difference", {"another machine", "few samples"}}});
}

TEST(Sentences, of_a_comparison_have_its_figures) {
  Comparison c = comparison();
  EXPECT_THAT(
      to_text(c, false),
      testing::StartsWith(
          "Result: the whole run is 12.5 % faster, 1 operator slower, 1 operator added, 1\noperator removed.\n\n"
          "before   a.json\nafter    b.json\nnote     another machine\n"));
  EXPECT_THAT(
      to_text(c, false),
      HasSubstr(
          "  removed\nChanges below about 2.0 % of the run, or 3.0 % of the median operator\nare within noise here"));
  c.whole.verdict = Verdict::inconclusive, c.whole.high = 0.625, c.ops[0].verdict = Verdict::regrouped;
  c.ops[1].verdict = Verdict::faster, c.ops[2].verdict = Verdict::faster;
  EXPECT_THAT(to_text(c, false),
              testing::StartsWith("Result: inconclusive, the whole run may be up to 62.5 % slower, 2 operators\n"
                                  "faster, 1 operator regrouped.\n\n"));
  c.detectable_op.reset();
  EXPECT_THAT(to_text(c, false), HasSubstr("Changes below about 2.0 % of the run\nare within noise"));
}

TEST(Keys, of_a_report_for_ci_have_their_values) {
  const Comparison c = comparison();
  EXPECT_EQ(to_junit(std::span(&c, 1), {}),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
            "  <testsuite name=\"a.json -&gt; b.json\" tests=\"4\" failures=\"1\" errors=\"0\" skipped=\"2\">\n"
            "    <testcase classname=\"a.json -&gt; b.json\" name=\"[whole run]\" time=\"0.000875000\"/>\n"
            "    <testcase classname=\"a.json -&gt; b.json\" name=\"conv Conv\" time=\"0.000150000\">\n"
            "      <failure message=\"+50.0 % slower, from +25.0 % to +75.0 %\"/>\n    </testcase>\n"
            "    <testcase classname=\"a.json -&gt; b.json\" name=\"new Add\" time=\"0.000020000\">\n"
            "      <skipped message=\"added\"/>\n    </testcase>\n"
            "    <testcase classname=\"a.json -&gt; b.json\" name=\"old\" time=\"0.000000000\">\n"
            "      <skipped message=\"removed\"/>\n    </testcase>\n  </testsuite>\n</testsuites>\n");
}

TEST(Sentences, of_a_gate_have_its_figures) {
  Comparison c = comparison();
  const Gate gate{0.125, true};
  EXPECT_THAT(tripped(c, gate), ElementsAre("conv is 50.0 % slower (25.0 % to 75.0 %), over the limit of 12.5 %"));
  c.whole.high = 0.2;
  EXPECT_THAT(undecided(c, gate),
              ElementsAre("[whole run] is 12.5 % faster (-25.0 % to 20.0 %): 12.5 % cannot be ruled out"));
}

}  // namespace
}  // namespace takt
