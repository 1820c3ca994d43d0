#include "report/results/answers.h"

#include <gtest/gtest.h>

#include "report/made_tables.h"
#include "report/results/headline.h"

namespace takt {
namespace {

ReportResult answered(std::string_view command, std::vector<ReportTable> tables) {
  ReportResult result;
  result.tables = std::move(tables);
  add_sentences(result, command);
  return result;
}

ReportTable variants(double after) {
  const auto row = [](const char* variant, double cycle, Cell low, const char* bottleneck) {
    return MadeRow{{"variant", variant},
                   {"cycle_us", cycle},
                   {"cycle_low_us", low},
                   {"cycle_high_us", low},
                   {"bottleneck", bottleneck}};
  };
  return made_table("summary", {row("before", 80, Cell(), "infer"), row("replayed", 81, Cell(), "infer"),
                                row("after", after, 55.0, "load")});
}

TEST(Answers, of_changes_are_what_they_bring_not_what_was_recorded) {
  const ReportResult result = answered("pipeline whatif", {variants(60)});
  EXPECT_EQ(result.headline, "With these changes a batch every 60.0 µs instead of 80.0 µs: 25.0 % less");
  EXPECT_EQ(result.lede, "load then sets the beat. The beat lies between 55.0 µs and 55.0 µs.");
  EXPECT_EQ(answered("pipeline whatif", {variants(100)}).headline,
            "With these changes a batch every 100 µs instead of 80.0 µs: 25.0 % more");
}

TEST(Answers, of_a_check_count_the_rules_that_are_broken) {
  EXPECT_EQ(answered("trace check", {made_table("faults", {})}).headline, "No fault is in this trace");
  EXPECT_EQ(answered("trace check", {made_table("faults", {{{"rule", "x"}}})}).headline, "The trace breaks 1 rule");
}

TEST(Answers, of_a_machine_are_its_devices_and_how_busy_it_is) {
  const auto device = [](const char* runtime, const char* usable) {
    return MadeRow{{"runtime", runtime}, {"device", "CPU"}, {"usable", usable}};
  };
  EXPECT_EQ(
      answered("devices",
               {made_table("devices", {device("openvino", "yes"), device("onnxruntime", "no"), device("sim", "yes")})})
          .headline,
      "Models can run on openvino CPU");
  EXPECT_EQ(answered("devices", {made_table("devices", {device("sim", "yes")})}).headline,
            "Only simulated devices can be used");
  const MadeRow busy{{"feature", "cpu_busy_share"}, {"load_value", 0.754}};
  EXPECT_EQ(answered("load", {made_table("load", {busy})}).headline, "The processors are 75 % busy");
  EXPECT_EQ(answered("load", {made_table("load", {})}).headline, "What takt load printed: 0 rows in 1 table");
}

}  // namespace
}  // namespace takt
