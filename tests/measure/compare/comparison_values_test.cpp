// Borders of verdicts and gates, variances of several runs, and whole sentences.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/significance.h"
#include "measure/compare/conditions.h"
#include "measure/compare/difference.h"
#include "measure/compare/history.h"
#include "measure/compare/machine_state.h"
#include "measure/compare/memory.h"
#include "measure/compare/report.h"
#include "simulated_runs.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Sentences = std::vector<std::string>;

RecordedProfile under_known_conditions() {
  RecordedProfile profile;
  profile.origin = "p.json", profile.kind = "k";
  profile.from.model = "m", profile.from.content = "01", profile.from.runtime = "r", profile.from.device = "d";
  profile.from.runtime_version = "v", profile.from.host = "h", profile.from.cpu = "c", profile.from.precision = "f32";
  profile.from.inputs = {{"x", "f32", "{1}", "o"}};
  profile.from.settings = {{"threads", "1"}};
  return profile;
}

TEST(ComparedConditions, each_that_differs_is_named_in_the_order_of_their_weight) {
  const RecordedProfile before = under_known_conditions();
  RecordedProfile after = before;
  after.from.model = "M", after.from.runtime = "R", after.from.device = "D", after.from.runtime_version = "V";
  after.from.host = "H", after.from.cpu = "C", after.kind = "K";
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, true),
              ElementsAre("the models differ: M, m", "the runtimes differ: R, r", "the devices differ: D, d",
                          "the versions of the runtime differ: V, v", "the machines differ: H, h",
                          "the processors differ: C, c", "the kinds of profile differ: K, k"));
}

TEST(ComparedConditions, model_runtime_and_device_must_agree) {
  const auto said = [](const std::function<void(RecordedProfile&)>& change) {
    const RecordedProfile before = under_known_conditions();
    RecordedProfile after = before;
    change(after);
    try {
      differing_conditions({&before, 1}, {&after, 1}, false);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("compared");
  };
  const std::string end = "; give profiles of the same one, or --force to compare anyway";
  EXPECT_EQ(said([](auto& p) { p.from.model = "M"; }), "compare: the models differ: M, m" + end);
  EXPECT_EQ(said([](auto& p) { p.from.runtime = "R"; }), "compare: the runtimes differ: R, r" + end);
  EXPECT_EQ(said([](auto& p) { p.from.device = "D"; }), "compare: the devices differ: D, d" + end);
  EXPECT_EQ(said([](auto& p) { p.from.host = "H", p.from.cpu = "C", p.from.runtime_version = "V", p.kind = "K"; }),
            "compared");
}

TEST(ComparedConditions, other_contents_are_told_of_one_model_alone) {
  const RecordedProfile before = under_known_conditions();
  RecordedProfile after = before;
  after.from.content = "02";
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, true),
              ElementsAre("the model's files changed: same name, different contents"));
  after.from.model = "M";
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, true), ElementsAre("the models differ: M, m"))
      << "of another model they are other contents anyway";
}

TEST(ComparedConditions, settings_without_effect_on_times_are_not_told) {
  const RecordedProfile before = under_known_conditions();
  RecordedProfile after = before;
  for (const char* name : {"iterations", "warmup_iterations", "seed"}) after.from.settings[name] = "9";
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, false), IsEmpty());
  after.from.settings.clear();
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, false), IsEmpty()) << "no settings are not the defaults";
  after.from.settings = {{"a", "1"}, {"threads", "2"}};
  EXPECT_THAT(differing_conditions({&before, 1}, {&after, 1}, false),
              ElementsAre("a differ: default before, 1 after", "threads differ: 1 before, 2 after"));
}

TEST(ComparedConditions, of_several_runs_those_are_named_that_do_not_record_their_inputs) {
  std::vector<RecordedProfile> before(2, under_known_conditions()), after(2, under_known_conditions());
  before[1].origin = "b.json", after[0].origin = "c.json", after[1].origin = "d.json";
  for (auto* profile : {&before[1], &after[0]}) profile->from.inputs.reset();
  const std::string end = " not record inputs and their shapes: it is unknown whether they agree";
  EXPECT_THAT(differing_conditions(before, after, false), ElementsAre("b.json, c.json do" + end));
  before[1].from.inputs = before[0].from.inputs;
  EXPECT_THAT(differing_conditions(before, after, false), ElementsAre("c.json does" + end));
  for (auto* side : {&before, &after})
    for (auto& profile : *side) profile.from.inputs.reset();
  EXPECT_THAT(differing_conditions(before, after, false), IsEmpty()) << "nobody does";
}

RunLevel of_samples(double variance, double independent, double depth = 0) {
  return {0, variance, independent, depth, 10, 100};
}

Difference one_each(const RunLevel& before, const RunLevel& after) {
  Difference op;
  op.before = {before}, op.after = {after};
  return op;
}

TEST(UseSamples, an_own_drift_counts_where_it_is_beyond_chance) {
  Difference op = one_each(of_samples(4e-4, 4e-4), of_samples(9e-4, 2e-4));
  use_samples(op, 1.3, {});
  // Before: 1.3 times 4e-4, as all drift. After: its own 9e-4, of which all but 1.3 · 2e-4 may move all ten blocks.
  EXPECT_NEAR(op.sampling, 5.2e-4 + 9e-4, 1e-12);
  EXPECT_NEAR(op.variance, 14.2e-4 + 10 * 6.4e-4, 1e-12);
  EXPECT_NEAR(op.freedom, 7.82e-3 * 7.82e-3 / (14.2e-4 * 14.2e-4 / 98 + 6.4e-3 * 6.4e-3 / 4), 1e-6);
  for (const auto& [own, counts] : {std::pair{12.3e-4, 4e-4}, {12.5e-4, 12.5e-4}}) {
    Difference border = one_each(of_samples(own, 4e-4), of_samples(0, 0));
    use_samples(border, 1, {});
    EXPECT_NEAR(border.sampling, counts, 1e-12) << "3.1 times as much";
  }
}

TEST(UseSamples, where_samples_depend_on_each_other_blocks_are_counted) {
  Difference op = one_each(of_samples(4e-4, 4e-4), of_samples(4e-4, 4e-4));
  use_samples(op, 1.4, {});
  EXPECT_NEAR(op.sampling, 2 * 5.6e-4, 1e-12);
  EXPECT_NEAR(op.variance, 2 * (5.6e-4 + 10 * 0.4e-4), 1e-12);
  const double sampling = 11.2e-4, starts = 8e-4, both = 19.2e-4;
  EXPECT_NEAR(op.freedom, both * both / (sampling * sampling / 18 + starts * starts / 4), 1e-9);
}

TEST(UseSamples, noise_that_reaches_into_the_faster_half_differs_from_start_to_start) {
  Difference op = one_each(of_samples(1e-4, 1e-4, 0.2), of_samples(1e-4, 1e-4, 0.1));
  use_samples(op, 1, {.usual = 0.01, .depth = 0.3});
  EXPECT_NEAR(op.variance, 2e-4 + 2 * 1e-4 + 0.06 * 0.06 + 0.03 * 0.03, 1e-12);
  EXPECT_EQ(op.freedom, 4);
  EXPECT_EQ((std::vector{scatter_of_whole.usual, scatter_of_whole.depth, scatter_of_ops.usual, scatter_of_ops.depth}),
            (std::vector{0.008, 0.3, 0.012, 0.3}))
      << "as bench/compare.py measured";
}

std::vector<RunLevel> runs_at(const std::vector<double>& times) {
  std::vector<RunLevel> levels;
  for (const double time : times) levels.push_back({.log_time = time});
  return levels;
}

/// Two runs on each side, `variance` between the means of which they tell with two degrees of freedom.
Difference two_runs_each(double variance) {
  Difference op;
  op.before = op.after = runs_at({0, std::sqrt(2 * variance)});
  return op;
}

TEST(UseRuns, of_many_operators_their_ninth_decile_steadies_each) {
  std::vector<Difference> others;
  for (int i = 10; i >= 0; --i) others.push_back(two_runs_each(i * 1e-4));
  std::vector<Difference> ops{two_runs_each(4e-4), two_runs_each(4e-4)};
  ops[1].before = ops[1].after = runs_at({-1, -1, 0, 1, 1});  // of five runs a fifth of 1 each, of both sides 0.4
  for (RunLevel& level : ops[1].before) level.log_time *= std::sqrt(1e-3);
  ops[1].after = ops[1].before;
  use_runs(ops, others);
  EXPECT_DOUBLE_EQ(ops[0].freedom, 2 + 2);
  EXPECT_NEAR(ops[0].variance, (2 * 9e-4 + 2 * 4e-4) / 4, 1e-12);
  EXPECT_DOUBLE_EQ(ops[1].freedom, 4 + 8);
  EXPECT_NEAR(ops[1].variance, (4 * 9e-4 + 8 * 4e-4) / 12, 1e-12);
  others.resize(7);
  std::vector<Difference> few{two_runs_each(4e-4)};
  few[0].variance = 1e-4;
  use_runs(few, others);
  EXPECT_NEAR(few[0].variance, (4 * 1e-4 + 2 * 4e-4) / 6, 1e-12) << "seven are too few to tell";
}

TEST(UseRuns, a_side_with_one_run_scatters_as_the_other) {
  for (const bool is_before : {false, true}) {
    std::vector<Difference> ops(1);
    ops[0].before = runs_at({0}), ops[0].after = runs_at({0, 0.2});
    if (is_before) std::swap(ops[0].before, ops[0].after);
    ops[0].variance = 0.01;
    use_runs(ops, {});
    EXPECT_DOUBLE_EQ(ops[0].freedom, 4 + 1);
    EXPECT_NEAR(ops[0].variance, (4 * 0.01 + 1 * (0.02 / 2 + 0.02)) / 5, 1e-12);
  }
  std::vector<Difference> single{one_each({}, {})};
  single[0].variance = 7, single[0].freedom = 3;
  use_runs(single, {});
  EXPECT_EQ(single[0].variance, 7);
  EXPECT_EQ(single[0].freedom, 3);
}

TEST(UseScatter, widens_by_what_operators_differ_by_among_each_other) {
  const auto widened = [](const std::vector<double>& values) {
    std::vector<Difference> ops(values.size());
    for (std::size_t i = 0; i < ops.size(); ++i) ops[i].value = values[i], ops[i].variance = 4, ops[i].freedom = 50;
    use_scatter(ops);
    for (const Difference& op : ops) EXPECT_EQ(op.variance, ops[0].variance);
    return std::sqrt(ops[0].variance / 4);
  };
  // Ten operators, in standard deviations of 2 from their median: nothing but two of 10. Four fifths lie below 2.
  EXPECT_NEAR(widened({1, 1, 1, 1, 1, 1, 1, 1, 21, -19}), 2 / student_quantile(50, 0.1), 1e-12);
  EXPECT_EQ(widened({1, 1, 1, 1, 1, 1, 21}), 1) << "too few";
  EXPECT_EQ(widened({1, 1.1, 0.9, 1, 1, 1, 1, 1}), 1) << "never narrower";
  // A half of them by 3: the median of what they differ by decides.
  EXPECT_NEAR(widened({0, 0, 0, 0, 0, 6, -6, 6, -6, 0.5, -0.5, 6, -6, 6, -6}), 3 / student_quantile(50, 0.25), 1e-12);
}

/// Samples that are all alike, of the whole run and of two operators; virtual time, so that nothing widens.
RecordedProfile exact_run(std::int64_t whole, std::int64_t one, std::int64_t other) {
  RecordedProfile profile;
  profile.origin = std::to_string(whole) + ".json", profile.from.model = "m", profile.virtual_clock = true;
  profile.samples.assign(6, Nanoseconds(whole));
  for (const auto& [name, time] : {std::pair{"one", one}, {"other", other}}) {
    profile.ops.push_back({name, "Conv", "", {}, {}, {}});
    profile.ops.back().samples.assign(6, Nanoseconds(time));
  }
  return profile;
}

TEST(CompareVerdicts, at_their_borders) {
  const RecordedProfile before = exact_run(1000, 600, 200), slower = exact_run(1100, 750, 200);
  CompareSettings settings;
  const Comparison usual = compare(before, slower, settings);
  EXPECT_EQ(usual.before, "1000.json");
  EXPECT_EQ(usual.after, "1100.json");
  EXPECT_NEAR(*usual.whole.ratio, 0.1, 1e-12);
  EXPECT_EQ(usual.whole.low, usual.whole.ratio);
  EXPECT_EQ(usual.whole.high, usual.whole.ratio);
  EXPECT_NEAR(usual.whole.before->count(), 1, 1e-12);
  EXPECT_NEAR(usual.whole.after->count(), 1.1, 1e-12);
  EXPECT_EQ(usual.whole.share, 1);
  EXPECT_NEAR(usual.ops.at(0).share, 0.75, 1e-12);
  EXPECT_NEAR(usual.ops.at(1).share, 0.25, 1e-12);
  EXPECT_EQ(usual.detectable_whole, 0.02) << "the smallest change that counts";
  EXPECT_EQ(usual.detectable_op, 0.02);
  const auto verdict = [&](double threshold, double limit, bool is_turned = false) {
    settings.threshold = threshold, settings.limit = limit;
    return (is_turned ? compare(slower, before, settings) : compare(before, slower, settings)).whole.verdict;
  };
  const double up = *usual.whole.ratio, down = -*compare(slower, before, CompareSettings{}).whole.ratio;
  EXPECT_EQ(verdict(up, 1), Verdict::slower);
  EXPECT_EQ(verdict(std::nextafter(up, 1), 1), Verdict::same);
  EXPECT_EQ(verdict(down, 1, true), Verdict::faster);
  EXPECT_EQ(verdict(std::nextafter(down, 1), 1, true), Verdict::same);
  EXPECT_EQ(verdict(0.5, up), Verdict::same);
  EXPECT_EQ(verdict(0.5, std::nextafter(up, 0)), Verdict::inconclusive);
  EXPECT_EQ(verdict(0.5, 0, true), Verdict::same) << "what became faster hides no slow-down";
}

TEST(CompareVerdicts, an_operator_matters_by_its_part_of_the_run) {
  const RecordedProfile before = exact_run(1000, 600, 200), after = exact_run(1000, 600, 240);
  CompareSettings settings;
  settings.threshold = 0.5;  // so a fifth is no change
  settings.limit = 0.051;
  EXPECT_EQ(compare(before, after, settings).ops.at(1).verdict, Verdict::same) << "a fifth of a quarter";
  settings.limit = 0.049;
  EXPECT_EQ(compare(before, after, settings).ops.at(1).verdict, Verdict::inconclusive);
}

TEST(CompareVerdicts, half_of_the_permitted_error_is_for_the_whole_run_and_half_for_the_operators) {
  const Machine simulated{.sigma = 0.05, .ops = 9, .samples = 50, .virtual_clock = true};
  RecordedProfile before = run_on(simulated, 1), after = run_on(simulated, 2);
  const auto half_of = [](const Change& change) { return (std::log1p(*change.high) - std::log1p(*change.low)) / 2; };
  const auto expected = [&](const std::vector<Nanoseconds>& first, const std::vector<Nanoseconds>& second, double drift,
                            double tail) {
    auto found = difference({first}, {second}).value();
    use_samples(found, std::max(drift, 1.0), {});
    return half_width(found, tail);
  };
  std::vector<Difference> ops;
  for (std::size_t i = 0; i < before.ops.size(); ++i)
    ops.push_back(difference({before.ops[i].samples}, {after.ops[i].samples}).value());
  const double drift = pooled_drift(ops);
  const double own = pooled_drift({difference({before.samples}, {after.samples}).value()});
  const Comparison with_ops = compare(before, after);
  EXPECT_NEAR(half_of(with_ops.whole), expected(before.samples, after.samples, std::max(drift, own), 0.01 / 4), 1e-9);
  const double shared = std::abs(shared_change(ops));
  EXPECT_NEAR(half_of(with_ops.ops[3]),
              expected(before.ops[3].samples, after.ops[3].samples, drift, 0.01 / 4 / 9) + shared, 1e-9);
  before.ops.clear(), after.ops.clear();
  EXPECT_NEAR(half_of(compare(before, after).whole), expected(before.samples, after.samples, own, 0.01 / 2), 1e-9);
}

TEST(CompareVerdicts, plain_runs_are_compared_where_both_sides_have_them) {
  RecordedProfile before = exact_run(1000, 600, 200), after = exact_run(1500, 600, 200);
  before.plain_samples.assign(6, Nanoseconds(400));
  EXPECT_NEAR(*compare(before, after).whole.ratio, 0.5, 1e-9);
  after.plain_samples.assign(6, Nanoseconds(500));
  EXPECT_NEAR(*compare(before, after).whole.ratio, 0.25, 1e-9);
  after.plain_samples.resize(4);
  EXPECT_NEAR(*compare(before, after).whole.ratio, 0.5, 1e-9) << "too few";
}

TEST(CompareVerdicts, all_have_their_words) {
  const std::vector<std::pair<Verdict, std::string>> words{
      {Verdict::same, "same"},       {Verdict::slower, "slower"},
      {Verdict::faster, "faster"},   {Verdict::added, "added"},
      {Verdict::removed, "removed"}, {Verdict::regrouped, "regrouped"},
      {Verdict::unknown, "unknown"}, {Verdict::inconclusive, "inconclusive"}};
  for (const auto& [verdict, word] : words) EXPECT_EQ(verdict_name(verdict), word);
}

Change judged(Verdict verdict, std::optional<double> ratio, double low, double high, double share) {
  Change change;
  change.name = "row", change.verdict = verdict, change.ratio = ratio, change.share = share;
  if (ratio) change.low = low, change.high = high;
  return change;
}

TEST(CompareGateBorders, a_limit_that_is_just_reached_is_kept) {
  const Gate gate{0.25, true};
  const auto of_whole = [&](Verdict verdict, double low, double high) {
    return outcome(judged(verdict, 0.3, low, high, 1), gate, true);
  };
  EXPECT_EQ(of_whole(Verdict::slower, 0.26, 0.5), Outcome::failed);
  EXPECT_EQ(of_whole(Verdict::slower, 0.25, 0.5), Outcome::skipped) << "not proved to be above";
  EXPECT_EQ(of_whole(Verdict::same, 0.26, 0.5), Outcome::skipped);
  EXPECT_EQ(of_whole(Verdict::slower, 0.1, 0.25), Outcome::passed);
  EXPECT_EQ(of_whole(Verdict::slower, 0.1, 0.26), Outcome::skipped);
  const auto of_op = [&](double high, double share) {
    return outcome(judged(Verdict::same, 0.1, -0.1, high, share), gate, false);
  };
  EXPECT_EQ(of_op(0.5, 0.5), Outcome::passed) << "a quarter of the run at most";
  EXPECT_EQ(of_op(0.5, 0.51), Outcome::skipped);
  EXPECT_EQ(outcome(judged(Verdict::added, {}, 0, 0, 1), gate, false), Outcome::skipped);
  EXPECT_EQ(outcome(judged(Verdict::inconclusive, 0.1, -0.1, 5, 0.5), Gate{0.25, false}, false), Outcome::skipped);
}

TEST(CompareGateBorders, without_a_gate_the_verdict_decides) {
  EXPECT_EQ(outcome(judged(Verdict::slower, 0.1, 0.05, 0.2, 1), {}, true), Outcome::failed);
  EXPECT_EQ(outcome(judged(Verdict::faster, -0.1, -0.2, -0.05, 1), {}, true), Outcome::passed);
  EXPECT_EQ(outcome(judged(Verdict::same, 0.1, -0.1, 0.2, 1), {}, true), Outcome::passed);
  EXPECT_EQ(outcome(judged(Verdict::inconclusive, 0.1, -0.1, 0.2, 1), {}, true), Outcome::skipped);
  EXPECT_EQ(outcome(judged(Verdict::slower, {}, 0, 0, 1), {}, true), Outcome::skipped);
}

TEST(CompareGateBorders, what_has_no_slow_down_is_told_of_the_whole_run_alone) {
  Comparison comparison;
  comparison.whole = judged(Verdict::unknown, {}, 0, 0, 1);
  comparison.ops = {judged(Verdict::added, {}, 0, 0, 1), judged(Verdict::same, 0.1, -0.1, 0.6, 0.5)};
  EXPECT_THAT(undecided(comparison, {0.25, true}),
              ElementsAre("row: too few samples to tell",
                          "row is 10.0 % slower (-10.0 % to 60.0 %): 25 % cannot be ruled out"));
  EXPECT_THAT(undecided(comparison, {0.25, false}), ElementsAre("row: too few samples to tell"));
  EXPECT_THAT(tripped(comparison, {0.25, true}), IsEmpty());
}

TEST(CompareText, of_a_whole_run_that_cannot_be_told) {
  Comparison c;
  c.before = "a.json", c.after = "b.json";
  const auto result_of = [&](double high, std::optional<double> whole, std::optional<double> op) {
    c.whole = judged(Verdict::inconclusive, 0.1, -0.5, high, 1);
    c.detectable_whole = whole, c.detectable_op = op;
    const std::string text = to_text(c, false);
    const auto last_row = text.find("\nrow ") + 1;  // the answer is above the table, what noise hides below
    return text.substr(0, text.find("\n\n") + 1) + text.substr(text.find('\n', last_row) + 1);
  };
  EXPECT_EQ(
      result_of(8.5, 0.5, 0.25),
      "Result: inconclusive, the whole run may be up to 850.0 % slower.\nChanges below about 50.0 % of the run, or "
      "25.0 % of the median operator\nare within noise here; more runs on each side detect smaller ones.\n");
  EXPECT_EQ(
      result_of(9, 0.5, 1),
      "Result: inconclusive, the whole run may be 10 times slower or more.\nChanges below about 50.0 % of the run\n"
      "are within noise here; more runs on each side detect smaller ones.\n");
  EXPECT_EQ(result_of(9, 1, 0.5),
            "Result: inconclusive, the whole run may be 10 times slower or more.\nThese runs vary so much that even a "
            "doubled time is within noise: measure\nagain on an idle machine, or with more runs on each side.\n");
  c.whole.verdict = Verdict::unknown, c.whole.ratio.reset(), c.detectable_whole.reset();
  EXPECT_THAT(to_text(c, false),
              testing::AllOf(testing::StartsWith("Result: unknown, the whole run has too few samples.\n\n"),
                             testing::EndsWith("  unknown\n")));
  c.whole = judged(Verdict::same, 0.001, -0.01, 0.01, 1);
  EXPECT_THAT(to_text(c, false), testing::AllOf(testing::StartsWith("Result: no change beyond noise.\n\n"),
                                                testing::EndsWith("  same\n")));
}

TEST(CompareText, operators_that_grew_most_come_first_and_those_without_news_when_asked_for) {
  Comparison c;
  c.whole = judged(Verdict::same, 0, 0, 0, 1), c.whole.name = "[whole run]";
  const auto add = [&](const char* name, Verdict verdict, std::optional<double> before, std::optional<double> after) {
    Change& change = c.ops.emplace_back();
    change.name = name, change.verdict = verdict;
    if (before) change.before = Duration(*before);
    if (after) change.after = Duration(*after);
  };
  add("shrank", Verdict::faster, 90, 50);
  add("gone", Verdict::removed, 30, {});
  add("quiet", Verdict::same, 10, 11);
  add("few", Verdict::unknown, 10, 10);
  add("new", Verdict::added, {}, 20);
  add("grew", Verdict::slower, 100, 150);
  const auto names_in = [&](bool all) {
    std::vector<std::string> names;
    for (const auto& line : split(to_text(c, all), '\n'))
      if (const auto name = line.substr(0, line.find(' ')); line.find("µs") != std::string::npos && name != "Op")
        names.push_back(name);
    return names;
  };
  EXPECT_THAT(names_in(false), ElementsAre("grew", "new", "gone", "shrank"));
  EXPECT_THAT(names_in(true), ElementsAre("grew", "new", "quiet", "few", "gone", "shrank"));
}

TEST(CompareMemory, every_figure_is_named_by_its_limits) {
  constexpr double mebibyte = 1 << 20;
  const auto said = [](double before, double after) {
    RecordedProfile first, second;
    for (const auto& [profile, bytes] : {std::pair{&first, before}, {&second, after}})
      profile->memory.weights = profile->memory.activation_peak = profile->memory.load_peak = profile->memory.run_peak =
          bytes;
    return changed_memory({&first, 1}, {&second, 1});
  };
  EXPECT_THAT(said(4 * mebibyte, 6 * mebibyte),
              ElementsAre("weights grew from 4.00 MiB to 6.00 MiB (+50.0 %)",
                          "activations at most grew from 4.00 MiB to 6.00 MiB (+50.0 %)",
                          "memory while loading grew from 4.00 MiB to 6.00 MiB (+50.0 %)",
                          "memory while running grew from 4.00 MiB to 6.00 MiB (+50.0 %)"));
  EXPECT_THAT(said(4 * mebibyte, 5 * mebibyte), IsEmpty()) << "no more than 1 MiB";
  EXPECT_EQ(said(4 * mebibyte, 5 * mebibyte + 1).size(), 4u);
  EXPECT_THAT(said(100 * mebibyte, 105 * mebibyte), IsEmpty()) << "no more than a twentieth";
  EXPECT_EQ(said(100 * mebibyte, 105 * mebibyte + 1).size(), 4u);
  EXPECT_EQ(said(0, 2 * mebibyte).front(), "weights grew from 0 B to 2.00 MiB") << "of nothing there is no part";
}

TEST(CompareHistoryNames, are_of_the_date_and_the_contents) {
  const std::filesystem::path folder = "f";
  const auto name = [&](std::string_view date, std::string_view text = "a") {
    return history_place(folder, date, text).filename().string();
  };
  const std::string end = name("", "a").substr(7);
  EXPECT_EQ(end.size(), 1u + 16 + 5);
  EXPECT_EQ(name("2026-02-01T10:20:30Z"), "2026-02-01T102030Z" + end);
  EXPECT_EQ(name(""), "undated" + end);
  EXPECT_EQ(name("x/y"), "undated" + end);
  EXPECT_EQ(name(std::string(40, '7')), std::string(32, '7') + end);
  EXPECT_NE(name("", "b"), name("", "a"));
}

TEST(CompareHistoryNames, the_latest_are_kept) {
  const TestFolder folder;
  for (const char* name : {"1.json", "2.json", "3.json"}) folder.write(name, name);
  const auto found = [&](std::size_t latest) {
    std::string names;
    for (const auto& path : history_of(folder.path(), latest)) names += path.stem().string();
    return names;
  };
  EXPECT_EQ(found(4), "123");
  EXPECT_EQ(found(3), "123");
  EXPECT_EQ(found(2), "23");
  EXPECT_EQ(found(0), "");
}

}  // namespace
}  // namespace takt
