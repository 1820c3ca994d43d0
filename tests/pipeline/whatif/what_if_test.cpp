#include "pipeline/whatif/what_if.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "pipeline/account/account.h"
#include "pipeline/contention/interference_file.h"
#include "pipeline/contention/overlap.h"
#include "pipeline/whatif/what_if_cases.h"
#include "places.h"
#include "refused.h"

namespace takt {
namespace {

using testing::HasSubstr;

/// Paragraphs as one line each would be, so that it does not matter where they are broken.
std::string unwrapped(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// An answer whose figures are made up; what a test changes is what it is about.
WhatIf made_up() {
  WhatIf result;
  result.stages = {"a", "b", "c"};
  for (const char* variant : {"before", "replayed", "after"}) {
    WhatIfRow& row = result.summary.emplace_back();
    row.variant = variant, row.makespan = Nanoseconds(result.summary.size() == 3 ? 1'500'000 : 2'000'000);
  }
  return result;
}

std::string words_of(const WhatIf& result) { return unwrapped(to_text(result)); }

TEST(WhatIfText, warns_beyond_an_error_of_a_twentieth) {
  WhatIf result = made_up();
  result.summary[0].replay_error = reliable_replay_error;
  EXPECT_THAT(words_of(result), testing::Not(HasSubstr("NOT RELIABLE")));
  EXPECT_THAT(words_of(result), HasSubstr("Makespan -25.0 %."));
  result.summary[0].replay_error = result.summary[1].replay_error = 0.0501;
  EXPECT_THAT(words_of(result), HasSubstr("NOT RELIABLE: replaying the unchanged run is off by 5.0 %"));
  EXPECT_THAT(words_of(result), HasSubstr("a replay of the unchanged run, which is off by 5.01 %"));
  result.summary[2].ranges.emplace();
  result.summary[2].ranges->makespan = {Duration(1000), Duration(3000)};
  EXPECT_THAT(words_of(result), HasSubstr("(90 % prediction interval: -50.0 to +50.0 %)."));
  result.refused_error = 0.125;
  EXPECT_THAT(words_of(result), HasSubstr("with them the replay is off by 12.5 %"));
}

TEST(WhatIfText, more_threads_than_cores_is_said_and_as_many_is_not) {
  WhatIf result = made_up();
  result.cores = CoreUse{4, 3, 4};
  EXPECT_THAT(words_of(result), testing::Not(HasSubstr("More threads than cores")));
  result.cores->predicted = 5;
  EXPECT_THAT(words_of(result), HasSubstr("up to 5 on 4 after the change, 3 as recorded"));
}

TEST(WhatIfText, how_much_of_the_time_stages_run_beside_each_other_is_said_in_words) {
  const auto words = [](double before) {
    WhatIf result = made_up();
    result.extrapolated = {{0, 1, before, 9, {1.5, 2, 3}}};
    return words_of(result);
  };
  for (const auto& [share, text] : {std::pair(0.0, "a and b never ran concurrently;"),
                                    {0.0199, "a and b never ran concurrently;"},
                                    {0.02, "a and b ran concurrently for 2 % of the time;"},
                                    {0.974, "a and b ran concurrently for 97 % of the time;"},
                                    {0.98, "a and b always ran concurrently;"},
                                    {1.05, "a and b always ran concurrently;"},
                                    {1.06, "a and b always ran concurrently, 1.1 at once;"}})
    EXPECT_THAT(words(share), HasSubstr(text)) << share;
  EXPECT_THAT(
      words(0),
      HasSubstr("In the recording a and b never ran concurrently; after the change always, 9.0 at once: how much "
                "slower a is together is unknown, 1.50 to 3.00 times."));
}

TEST(WhatIfText, pairs_are_said_once_and_of_many_four) {
  WhatIf result = made_up();
  result.extrapolated = {{0, 1, 0, 1, {1, 1, 1}}, {1, 0, 0, 1, {1, 1, 1}}};
  EXPECT_THAT(words_of(result), HasSubstr("how much slower they are together"));
  EXPECT_THAT(words_of(result), testing::Not(HasSubstr("b and a ")));
  result.extrapolated = {{0, 1, 0, 1, {1, 1, 1}}, {1, 0, 1, 0, {1, 1, 1}}};
  EXPECT_THAT(
      words_of(result),
      HasSubstr("In the recording b and a always ran concurrently; after the change never: how much faster b is alone"))
      << "the other way round is another change";
  result.extrapolated = {{2, 2, 1, 0, {1, 1, 1}}};
  EXPECT_THAT(words_of(result), HasSubstr("several executions of c always ran concurrently;"));
  result.extrapolated.clear();
  for (const auto& [stage, beside] : {std::pair(0, 1), {0, 2}, {1, 2}, {0, 0}})
    result.extrapolated.push_back({stage, beside, 0, 1, {1, 1, 1}});
  EXPECT_THAT(words_of(result), testing::Not(HasSubstr("more pairs")));
  result.extrapolated.push_back({1, 1, 0, 1, {1, 1, 1}});
  result.extrapolated.push_back({2, 2, 0, 1, {1, 1, 1}});
  EXPECT_THAT(words_of(result), HasSubstr("The last table has 2 more pairs."));
}

TEST(WhatIf, says_before_replayed_and_after) {
  const PipelineRun run = run_truth(chain({1000, 2500, 1500}));
  const WhatIf result = what_if(run, std::vector{parse_change("stage.infer.time=x0.5")});
  ASSERT_EQ(result.summary.size(), 3u);
  EXPECT_EQ(result.summary[0].makespan, Nanoseconds(502'500'000));  // 1 + 200·2.5 + 1.5 ms
  EXPECT_EQ(result.summary[1].makespan, result.summary[0].makespan);
  EXPECT_EQ(result.summary[2].makespan, Nanoseconds(302'250'000));  // 1 + 1.25 + 200·1.5 ms
  EXPECT_EQ(result.summary[0].bottleneck, "infer");
  EXPECT_EQ(result.summary[2].bottleneck, "post");
  EXPECT_EQ(*result.summary[2].cycle, Duration(1500));
  EXPECT_EQ(result.summary[2].replay_error, 0);
  EXPECT_TRUE(result.interference.empty());
}

TEST(WhatIf, only_the_bottleneck_is_sensitive) {
  const WhatIf result = what_if(run_truth(chain({1000, 2500, 1500})), {});
  ASSERT_EQ(result.sensitivity.size(), 3u);
  EXPECT_NEAR(result.sensitivity[0].gain.value(), 0, 1e-9);
  EXPECT_NEAR(result.sensitivity[1].gain.value(), 1 / 0.9 - 1, 1e-9);
  EXPECT_NEAR(result.sensitivity[2].gain.value(), 0, 1e-9);
}

TEST(WhatIf, sweeps_on_top_of_the_changes) {
  const auto sweep = parse_sweep("stage.infer.replicas=1:3:1");
  const WhatIf result =
      what_if(run_truth(chain({1000, 2500, 500})), std::vector{parse_change("stage.infer.time=x2")}, sweep);
  ASSERT_EQ(result.sweep.size(), 3u);
  EXPECT_EQ(result.sweep[0].makespan, result.summary[2].makespan);
  EXPECT_EQ(*result.sweep[1].cycle, Duration(2500));
  EXPECT_EQ(result.sweep[2].variant, "stage.infer.replicas=3");
  EXPECT_EQ(result.sweep[2].value, "3");
  EXPECT_TRUE(result.sweep[2].ranges.has_value());
  EXPECT_THAT(to_text(result), HasSubstr("stage.infer.replicas:\nValue "));
}

std::vector<PipelineChange> set_to(const std::vector<std::string>& texts) {
  std::vector<PipelineChange> changes;
  for (const std::string& text : texts) changes.push_back(parse_change(text));
  return changes;
}

Duration cycle_after(const PipelineRun& run, const std::vector<std::string>& changes) {
  return what_if(run, set_to(changes)).summary[2].cycle.value();
}

TEST(WhatIf, the_last_change_of_a_knob_holds_whatever_came_before_it) {
  const PipelineRun run = run_truth(chain({1000, 10000, 1000}));
  EXPECT_EQ(cycle_after(run, {"stage.infer.time=5ms", "stage.infer.time=7ms"}), Duration(7000));
  EXPECT_EQ(cycle_after(run, {"stage.infer.time=x0.3", "stage.infer.time=7ms"}), Duration(7000));
  EXPECT_EQ(cycle_after(run, {"stage.infer.time=7ms", "stage.infer.time=x0.3"}), Duration(3000)) << "of the record";
  EXPECT_EQ(cycle_after(run, {"stage.infer.time=x0.5", "stage.infer.time=x0.5"}), Duration(5000));
  EXPECT_EQ(cycle_after(run, {"stage.infer.replicas=5", "stage.infer.replicas=2"}), Duration(5000));
  EXPECT_EQ(cycle_after(run, {"source.rate=20", "source.rate=closed"}), Duration(10000));
  EXPECT_EQ(cycle_after(run, {"stage.infer.time=7ms", "stage.post.time=20ms"}), Duration(20000)) << "another stage";
}

TEST(WhatIf, a_sweep_takes_the_place_of_a_change_of_its_knob) {
  const PipelineRun run = run_truth(chain({1000, 10000, 1000}));
  const WhatIf times = what_if(run, set_to({"stage.infer.time=5ms", "stage.gather.time=2ms"}),
                               parse_sweep("stage.infer.time=6ms:12ms:3ms"));
  ASSERT_EQ(times.sweep.size(), 3u);
  EXPECT_EQ(times.sweep[0].cycle.value(), Duration(6000));
  EXPECT_EQ(times.sweep[1].cycle.value(), Duration(9000));
  EXPECT_EQ(times.sweep[2].cycle.value(), Duration(12000));
  const WhatIf factors = what_if(run, set_to({"stage.infer.time=5ms"}), parse_sweep("stage.infer.time=x0.5:x1:x0.5"));
  EXPECT_EQ(factors.sweep[0].cycle.value(), Duration(5000));
  EXPECT_EQ(factors.sweep[1].cycle.value(), Duration(10000)) << "x1 is the record";
  EXPECT_NEAR(factors.sensitivity[1].gain.value(), 1 / 0.9 - 1, 1e-9) << "10 % faster than the 5 ms that were set";
}

TEST(WhatIf, the_headline_is_the_run_after_against_its_replay) {
  WhatIf result = what_if(run_truth(chain({1000, 2500})), {});
  result.summary[0].makespan = 2 * result.summary[1].makespan;  // the replay misses by half
  for (WhatIfRow& row : result.summary) row.replay_error = 0.5;
  EXPECT_THAT(to_text(result), HasSubstr("Makespan +0.0 %"));
  result.summary[2].makespan = 3 * result.summary[1].makespan;
  result.summary[2].ranges->makespan = {Duration(result.summary[1].makespan) * 2,
                                        Duration(result.summary[1].makespan) * 4};
  EXPECT_THAT(to_text(result), HasSubstr("Makespan +200.0 % (90 % prediction interval: +100.0 to +300.0 %)."));
}

TEST(WhatIf, only_predictions_have_a_range_and_it_holds_them) {
  const WhatIf result = what_if(run_truth(chain({1000, 2500, 1500})), std::vector{parse_change("stage.infer.time=x2")});
  EXPECT_FALSE(result.summary[0].ranges.has_value());
  EXPECT_FALSE(result.summary[1].ranges.has_value());
  const RunRanges& ranges = result.summary[2].ranges.value();
  const Duration makespan(result.summary[2].makespan);
  EXPECT_LE(ranges.makespan.low, makespan);
  EXPECT_GE(ranges.makespan.high, makespan);
  EXPECT_LE(ranges.cycle.value().low, result.summary[2].cycle.value());
  EXPECT_GE(ranges.latency.value().high, result.summary[2].latency.value());
  EXPECT_THAT(to_text(result), HasSubstr(" (90 % prediction interval: "));
}

TEST(WhatIf, a_replay_that_misses_is_said_before_anything_else) {
  WhatIf result = what_if(run_truth(chain({1000, 2500})), {});
  EXPECT_EQ(to_text(result).rfind("Makespan", 0), 0u);
  for (WhatIfRow& row : result.summary) row.replay_error = 0.051;
  EXPECT_EQ(unwrapped(to_text(result)).rfind("NOT RELIABLE: replaying the unchanged run is off by 5.1 %.", 0), 0u);
  for (WhatIfRow& row : result.summary) row.replay_error = 0.05;
  EXPECT_EQ(to_text(result).rfind("Makespan", 0), 0u);
}

TEST(WhatIf, tables_have_their_columns_and_text_the_error_of_the_replay) {
  const WhatIf result = what_if(run_truth(chain({1000, 2500})), {});
  const auto list = tables(result);
  const auto schemas = what_if_schemas();
  ASSERT_EQ(list.size(), schemas.size());
  for (std::size_t t = 0; t < list.size(); ++t) EXPECT_EQ(list[t].name, schemas[t].name);
  EXPECT_THAT(to_csv(list[0]),
              HasSubstr("variant,makespan_us,makespan_low_us,makespan_high_us,cycle_us,cycle_low_us,cycle_high_us,"
                        "throughput_per_s,latency_us,latency_low_us,latency_high_us,bottleneck,replay_error\nbefore,"));
  EXPECT_THAT(to_text(result), HasSubstr("relative to a replay of the unchanged run, which is off by 0.00 %"));
}

// A real run admits its first batch before it starts it; the makespan begins with the start, as the account's does.
TEST(WhatIf, the_makespan_is_the_window_of_the_account) {
  PipelineRun run = run_truth(chain({1000, 2500}));
  const Nanoseconds window = account(run).window.length();
  run.schedule.begin -= Nanoseconds(700);
  run.schedule.end += Nanoseconds(300);
  const WhatIf result = what_if(run, {});
  EXPECT_EQ(result.summary[0].makespan, window);
  EXPECT_EQ(result.summary[0].replay_error, 0);
}

/// All; one in five under a sanitizer, another one for each `test`.
std::vector<WhatIfCase> some_of(const std::vector<WhatIfCase>& all, std::size_t test) {
  if (!is_sanitized()) return all;
  std::vector<WhatIfCase> some;
  for (std::size_t i = test % all.size(); i < all.size(); i += 5) some.push_back(all[i]);
  return some;
}

TEST(WhatIf, from_a_trace_is_the_same_as_from_the_run) {
  for (const auto& one : some_of(what_if_cases(), 0)) {
    if (one.kind == "plain" || one.name == "law known, faster") {
      const PipelineRun run = run_truth(one.truth), back = read_pipeline_run(to_trace(run), "trace");
      std::vector<PipelineChange> changes;
      for (const auto& text : one.changes) changes.push_back(parse_change(text));
      EXPECT_EQ(to_csv(tables(what_if(back, changes))[0]), to_csv(tables(what_if(run, changes))[0])) << one.name;
    }
  }
}

TEST(WhatIf, a_pair_of_stages_is_named_once_and_says_what_is_not_known) {
  TruePipeline truth = chain({5000, 5000});
  truth.law_in_record = false;
  const WhatIf less = what_if(run_truth(truth), std::vector{parse_change("source.in_flight=1")});
  ASSERT_EQ(less.extrapolated.size(), 2u);  // gather beside infer, and infer beside gather
  EXPECT_NEAR(less.extrapolated[0].before, 1, 0.02);
  EXPECT_EQ(less.extrapolated[0].after, 0);
  EXPECT_GT(less.extrapolated[0].factor.high, 1.5);
  const std::string text = unwrapped(to_text(less));
  EXPECT_THAT(text, HasSubstr("faster they are"));
  EXPECT_EQ(text.find("Extrapolated"), text.rfind("Extrapolated"));
  EXPECT_THAT(text, testing::Not(HasSubstr("infer and gather ")));
  TruePipeline slow = chain({2000, 5000});
  slow.law_in_record = false;
  const WhatIf more = what_if(run_truth(slow), std::vector{parse_change("stage.infer.replicas=2")});
  EXPECT_THAT(unwrapped(to_text(more)),
              HasSubstr("In the recording several executions of infer never ran concurrently;"));
}

TEST(WhatIf, says_where_a_prediction_goes_beyond_the_record) {
  for (const WhatIfCase& one : some_of(what_if_limits(), 1)) {
    const PipelineRun run = run_truth(one.truth);
    const auto changes = std::vector{parse_change(one.changes[0])};
    const WhatIf result = what_if(run, changes);
    EXPECT_FALSE(result.extrapolated.empty()) << one.name;
    EXPECT_THAT(to_text(result), HasSubstr("Extrapolated: ")) << one.name;
    EXPECT_TRUE(what_if(run, {}).extrapolated.empty()) << "nothing changes, " << one.name;
    // Measured, it is known.
    const WhatIf measured = what_if(run, changes, {}, measure_truth(one.truth));
    EXPECT_TRUE(measured.extrapolated.empty()) << one.name;
    const double really = static_cast<double>(one.run_changed().schedule.makespan().count());
    EXPECT_NEAR(static_cast<double>(measured.summary[2].makespan.count()) / really, 1, 0.05) << one.name;
  }
}

TEST(WhatIf, does_not_cry_where_the_law_is_described_or_nothing_overlaps_otherwise) {
  for (const WhatIfCase& one : some_of(what_if_cases(), 2)) {
    if (!one.truth.law_in_record) continue;
    std::vector<PipelineChange> changes;
    for (const auto& text : one.changes) changes.push_back(parse_change(text));
    EXPECT_TRUE(what_if(run_truth(one.truth), changes).extrapolated.empty()) << one.name;
  }
}

TEST(WhatIf, a_second_replica_beside_the_first_was_never_seen) {
  TruePipeline truth = chain({1000, 2500, 1500});
  truth.law_in_record = false;  // a real device: nobody says that nothing contends
  const WhatIf result = what_if(run_truth(truth), std::vector{parse_change("stage.infer.replicas=2")});
  const auto found = std::find_if(result.extrapolated.begin(), result.extrapolated.end(),
                                  [](const Extrapolation& e) { return e.stage == 1 && e.beside == 1; });
  ASSERT_NE(found, result.extrapolated.end());
  EXPECT_EQ(found->before, 0);
  EXPECT_GT(found->after, 0.5);
}

TEST(KnownContention, measured_pairs_go_by_name_and_strangers_are_refused) {
  TruePipeline truth = chain({1000, 2500});
  truth.law_in_record = false;
  const PipelineRun run = run_truth(truth);
  PairRow row;
  row.stage = "infer", row.beside = "gather";
  row.factor = 1.5;
  row.significant = true;
  PairRow stranger = row;
  stranger.stage = "other";
  const KnownContention known = known_contention(run, std::vector{row, stranger});
  EXPECT_EQ(known.law.interference, (std::vector<std::vector<double>>{{1, 1}, {1.5, 1}}));
  EXPECT_TRUE(known.known[1][0]);
  EXPECT_FALSE(known.known[0][1]);
  EXPECT_EQ(refused_with([&] { known_contention(run, std::vector{stranger}); }),
            "the measured slowdowns belong to other stages, such as 'other'; measure those of this pipeline");
}

/// One stage of 7.7 ms that wants 0.85 of its device, which the record does not tell.
TruePipeline one_instance() {
  TruePipeline truth = chain({7700});
  truth.shape.source.in_flight = 4;
  truth.law_in_record = false;
  truth.contention.resources = {{PressureLaw::share, {0.85}, {0.85}}};
  return truth;
}

TruePipeline instances(int count) {
  TruePipeline truth = one_instance();
  truth.shape.stages[0] = stage_on(0, count, 2);
  return truth;
}

/// What two instances do to each other.
std::vector<PairRow> measured_instances() {
  PairRow row;
  row.stage = row.beside = "gather";
  row.factor = 1.7;
  row.significant = true;
  return {row};
}

std::vector<PipelineChange> to_instances(int count) {
  return {parse_change("stage.gather.replicas=" + std::to_string(count))};
}

TEST(WhatIf, of_three_at_once_a_measured_pair_leaves_a_range) {
  const PipelineRun run = run_truth(one_instance());
  for (const int count : {2, 3, 4}) {
    const WhatIf result = what_if(run, to_instances(count), {}, measured_instances());
    const WhatIfRow& after = result.summary.at(2);
    const Duration really(run_truth(instances(count)).schedule.makespan());
    EXPECT_LE(after.ranges->makespan.low, really) << count;
    EXPECT_GE(after.ranges->makespan.high, really) << count;
    EXPECT_LE(after.makespan, run.schedule.makespan()) << "not less than one does";
    const double width = (after.ranges->makespan.high - after.ranges->makespan.low) / really;
    if (count == 2) {
      EXPECT_LT(width, 1e-6);
    } else {
      EXPECT_GT(width, 0.1) << count;
    }
  }
}

TEST(WhatIf, of_three_at_once_the_range_reaches_from_the_worst_pair_to_the_product) {
  const PipelineRun run = run_truth(one_instance());
  const WhatIf result = what_if(run, to_instances(3), {}, measured_instances());
  const auto makespan = [](double factor) {
    TruePipeline truth = instances(3);
    truth.contention = {};
    truth.stages[0].whole_us = {7700 * factor};
    return static_cast<double>(run_truth(truth).schedule.makespan().count()) / 1e3;
  };
  EXPECT_NEAR(result.summary[2].ranges->makespan.low.count() / makespan(1.7), 1, 0.02);
  EXPECT_NEAR(result.summary[2].ranges->makespan.high.count() / makespan(1.7 * 1.7), 1, 0.02);
}

TEST(WhatIf, of_three_at_once_adds_up_what_each_presses_and_suffers) {
  const PipelineRun run = run_truth(one_instance());
  std::vector<double> levels, slow_downs;
  for (int k = 1; k <= 5; ++k) levels.push_back(k / 5.0), slow_downs.push_back(std::max(1.0, 0.85 + k / 5.0));
  const KnownStages answers{{"gather"}, {"slices"}, {{{SlowDownCurve(levels, slow_downs)}, {0.85}, 1}}};
  for (const int count : {2, 3, 4}) {
    const WhatIf result = what_if(run, to_instances(count), {}, measured_instances(), &answers);
    const WhatIfRow& after = result.summary.at(2);
    const Duration really(run_truth(instances(count)).schedule.makespan());
    EXPECT_NEAR(Duration(after.makespan) / really, 1, 1e-3) << count;
    EXPECT_LT((after.ranges->makespan.high - after.ranges->makespan.low) / really, 1e-6) << count;
  }
}

/// Three stages of one thread each on two cores, as a real run tells them: no law, but cores and threads.
PipelineRun on_two_cores(TruePipeline truth) {
  PipelineRun run = run_truth(truth);
  run.cores = 2;
  for (auto& stage : run.stages) stage.threads = 1;
  return run;
}

TruePipeline core_truth() {
  TruePipeline truth = chain({1000, 2500, 1500});
  truth.law_in_record = false;
  truth.contention.core_share = {0.5, 0.5, 0.5};
  return truth;
}

double makespan_ratio(const PipelineRun& run, const TruePipeline& truth) {
  return static_cast<double>(run.schedule.makespan().count()) /
         static_cast<double>(run_truth(truth).schedule.makespan().count());
}

TEST(KnownContention, threads_take_turns_on_the_cores) {
  TruePipeline truth = core_truth();
  const PipelineRun run = on_two_cores(truth);
  EXPECT_EQ(known_contention(run).law.core_share, (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_NEAR(makespan_ratio(replay(run, {}), truth), 1, 1e-3);
  truth.shape.stages[1] = stage_on(1, 2, 2);  // 5 ms of work per batch on two cores: 2.5 ms, as with one replica
  const auto two = std::vector{parse_change("stage.infer.replicas=2")};
  EXPECT_NEAR(makespan_ratio(replay(run, two), truth), 1, 0.01);
  PipelineRun untold = run;
  untold.cores.reset();
  EXPECT_LT(makespan_ratio(replay(untold, two), truth), 0.8);
}

TEST(KnownContention, what_cores_explain_is_no_interference) {
  PipelineRun run = on_two_cores(core_truth());
  run.stages[0].threads = run.stages[1].threads = 2;
  std::vector<PairRow> pairs(2);
  for (PairRow& row : pairs) row.significant = true;
  pairs[0].stage = "gather", pairs[0].beside = "infer", pairs[0].factor = 2.2;  // 2 from waiting for cores
  pairs[1].stage = "infer", pairs[1].beside = "gather", pairs[1].factor = 1.9;
  const auto law = known_contention(run, pairs).law;
  EXPECT_NEAR(law.interference[0][1], 1.1, 1e-12);
  EXPECT_EQ(law.interference[1][0], 1);
}

TEST(KnownContention, slow_downs_that_do_not_give_the_record_again_are_left_out) {
  TruePipeline truth = chain({1000, 2500, 1500});
  truth.law_in_record = false;
  truth.shape.stages[1].queue = 1000;
  PipelineRun run = run_truth(truth);
  // Gather ran ahead, further than the trace says that the queue allows, so that it was beside infer for the first
  // batches only. The replay has it beside all of them.
  run.shape.stages[1].queue = 1;
  std::vector<PairRow> rows(2);
  for (PairRow& row : rows) row.stage = "infer", row.factor = 3, row.significant = true;
  rows[0].beside = "gather", rows[1].beside = "post";
  const WhatIf result = what_if(run, {}, {}, rows);
  ASSERT_TRUE(result.refused_error.has_value());
  EXPECT_GT(*result.refused_error, 0.05);
  EXPECT_LT(result.summary[0].replay_error, 0.01);
  EXPECT_THAT(to_text(result), HasSubstr("The measured slowdowns are ignored"));
}

TEST(WhatIf, says_when_threads_outnumber_the_cores) {
  const PipelineRun run = on_two_cores(core_truth());
  const WhatIf result = what_if(run, std::vector{parse_change("stage.infer.replicas=2")});
  ASSERT_TRUE(result.cores.has_value());
  EXPECT_EQ(result.cores->cores, 2);
  EXPECT_EQ(result.cores->recorded, 3);
  EXPECT_EQ(result.cores->predicted, 4);
  EXPECT_THAT(unwrapped(to_text(result)), HasSubstr("up to 4 on 2 after the change, 3 as recorded"));
  const WhatIf single = what_if(run, std::vector{parse_change("source.in_flight=1")});
  EXPECT_EQ(single.cores->predicted, 1);
  EXPECT_THAT(to_text(single), testing::Not(HasSubstr("More threads than cores")));
  PipelineRun untold = run;
  untold.cores.reset();
  EXPECT_FALSE(what_if(untold, {}).cores.has_value());
}

TEST(Replay, more_threads_leave_less_of_the_cores_for_others) {
  TruePipeline truth = core_truth();
  const PipelineRun run = on_two_cores(truth);
  truth.contention.core_share = {0.5, 1, 0.5};
  truth.stages[1].whole_us[0] *= 0.6;
  const auto changes = std::vector{parse_change("stage.infer.threads=2"), parse_change("stage.infer.time=x0.6")};
  const PipelineRun predicted = replay(run, changes);
  EXPECT_NEAR(makespan_ratio(predicted, truth), 1, 0.01);
  EXPECT_EQ(predicted.stages[1].threads, 2);
  EXPECT_EQ(
      refused_with([&] { replay(run, std::vector{changes[0]}); }),
      "'stage.infer.threads=2': its time with 2 threads is unknown; also give --set stage.infer.time=x0.6 or =5ms");
  PipelineRun untold = run;
  untold.cores.reset();
  EXPECT_EQ(refused_with([&] { replay(untold, changes); }),
            "'stage.infer.threads=2': the trace does not report how many threads the stage had");
}

TEST(OverlapShares, count_every_execution_beside) {
  // gather 1 ms, infer 2 ms with two replicas and gather always ready: infer is beside itself for half of the time.
  TruePipeline truth = chain({1000, 2000});
  truth.shape.stages[1] = stage_on(1, 2, 2);
  const auto shares = overlap_shares(run_truth(truth));
  ASSERT_EQ(shares.size(), 4u);
  EXPECT_NEAR(shares[1].mean, 2, 0.02);  // gather beside infer: both replicas
  EXPECT_NEAR(shares[2].mean, 1, 0.02);
  EXPECT_NEAR(shares[3].mean, 1, 0.02);  // each other
  EXPECT_LE(shares[3].low, shares[3].high);
}

TEST(WhatIf, of_a_run_without_batches_is_empty_but_said) {
  TruePipeline truth = chain({1000, 2500}, 2, 0);
  const WhatIf result = what_if(run_truth(truth), std::vector{parse_change("stage.infer.replicas=2")});
  EXPECT_EQ(result.summary[2].makespan, Nanoseconds(0));
  EXPECT_EQ(result.summary[2].bottleneck, "");
}

}  // namespace
}  // namespace takt
