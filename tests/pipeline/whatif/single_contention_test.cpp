#include "pipeline/contention/single_contention.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "pipeline/contention/interference_file.h"
#include "refused.h"

namespace takt {
namespace {

TEST(SlowDownCurve, goes_through_its_points_and_never_down) {
  const double levels[] = {0.25, 0.5, 1}, slow_downs[] = {1, 1.4, 1.5};
  const SlowDownCurve curve(levels, slow_downs);
  EXPECT_DOUBLE_EQ(curve.at(0), 1);
  EXPECT_DOUBLE_EQ(curve.at(-1), 1);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(curve.at(levels[k]), slow_downs[k]);
  for (double p = 0; p < 2; p += 0.01) EXPECT_LE(curve.at(p), curve.at(p + 0.01) + 1e-12);
  EXPECT_DOUBLE_EQ(curve.at(0.1), 1);                  // flat between two equal points
  EXPECT_NEAR(curve.at(1.5), 1.5 + 0.5 * 0.2, 1e-12);  // as steep as between its last two
}

TEST(SlowDownCurve, what_noise_bends_down_is_levelled) {
  const double levels[] = {0.25, 0.5, 0.75, 1}, slow_downs[] = {0.98, 1.3, 1.2, 1.6};
  const SlowDownCurve curve(levels, slow_downs);
  EXPECT_DOUBLE_EQ(curve.at(0.25), 1);
  EXPECT_DOUBLE_EQ(curve.at(0.5), 1.25);
  EXPECT_DOUBLE_EQ(curve.at(0.75), 1.25);
  EXPECT_DOUBLE_EQ(SlowDownCurve().at(0.5), 1);
}

TEST(SlowDownCurve, follows_a_queue_between_its_levels) {
  std::vector<double> levels = even_levels(5), slow_downs;
  const auto queue = [](double p) { return 1 + p / (5 - 4 * p); };
  for (const double level : levels) slow_downs.push_back(queue(level));
  const SlowDownCurve curve(levels, slow_downs);
  for (double p = 0; p <= 1; p += 0.01) EXPECT_NEAR(curve.at(p) / queue(p), 1, 0.02) << p;
}

/// A machine that the prediction knows nothing of. Who presses how much on what, and how the slow-downs come about, is
/// in here only.
struct HiddenMachine {
  struct Part {
    std::vector<double> presses, suffers;  ///< by resource
  };
  std::vector<Part> stages, loads;
  std::function<double(double suffers, double pressure)> law;
  double weaker = 1;  ///< as weaker_share
  double noise = 0;

  double slow_down(const Part& part, std::span<const double> pressure) const {
    double sum = 0, largest = 0;
    for (std::size_t r = 0; r < pressure.size(); ++r) {
      const double one = std::log(law(part.suffers[r], pressure[r]));
      sum += one, largest = std::max(largest, one);
    }
    return std::exp(largest + weaker * (sum - largest));
  }
  /// Of loads at levels: those of all kinds add up.
  std::vector<double> pressure_of(std::span<const double> levels) const {
    std::vector<double> pressure(levels.size());
    for (std::size_t q = 0; q < loads.size(); ++q)
      for (std::size_t r = 0; r < levels.size(); ++r) pressure[r] += levels[q] * loads[q].presses[r];
    return pressure;
  }
};

class HiddenRuns final : public LoadedRuns {
 public:
  explicit HiddenRuns(const HiddenMachine& machine) : machine_(machine) {}
  int calls = 0;

  double alone(int) override { return 1e6 * noise(); }
  Beside beside(int stage, std::span<const double> levels) override {
    ++calls;
    const auto& part = machine_.stages[static_cast<std::size_t>(stage)];
    Beside run{1e6 * machine_.slow_down(part, machine_.pressure_of(levels)) * noise(), 1, std::nullopt};
    if (levels[0] + levels[1] == 1) {
      const std::size_t load = levels[0] == 1 ? 0 : 1;
      run.load_lost = machine_.slow_down(machine_.loads[load], part.presses) * noise();
    }
    return run;
  }
  double load_beside(int resource, std::span<const double> levels) override {
    ++calls;
    return machine_.slow_down(machine_.loads[static_cast<std::size_t>(resource)], machine_.pressure_of(levels)) *
           noise();
  }

 private:
  double noise() { return 1 + machine_.noise * standard_normal(random_); }
  const HiddenMachine& machine_;
  Random random_{7};
};

/// Two resources. The load of memory empties the cache a little, and that of the cache reads some memory.
HiddenMachine crossing_machine(std::uint64_t seed) {
  Random random(seed);
  HiddenMachine machine;
  machine.loads = {{{1, 0.3}, {1, 0.2}}, {{0.15, 1}, {0.1, 1}}};
  for (int s = 0; s < 5; ++s)
    machine.stages.push_back({{uniform(random), uniform(random)}, {uniform(random), uniform(random)}});
  machine.law = [](double suffers, double p) { return 1 + suffers * p * p / (0.4 + 0.6 * p); };
  machine.weaker = uniform(random);
  return machine;
}

SingleReport measure(const HiddenMachine& machine, HiddenRuns& runs, int rounds = 3) {
  std::vector<std::string> names;
  for (std::size_t s = 0; s < machine.stages.size(); ++s) names.push_back(fmt::format("s{}", s));
  SingleSettings settings;
  settings.rounds = rounds;
  settings.plan = {even_levels(4), {1, 1}};
  return measure_single(names, {"memory", "cache"}, runs, settings);
}

double true_slow_down(const HiddenMachine& machine, const PairRow& pair) {
  return machine.slow_down(machine.stages[static_cast<std::size_t>(pair.stage_number)],
                           machine.stages[static_cast<std::size_t>(pair.beside_number)].presses);
}

TEST(SingleContention, loads_that_disturb_each_other_are_told_apart) {
  double sum = 0, harm = 0, pairs = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    HiddenMachine machine = crossing_machine(seed);
    machine.noise = 0.005;
    HiddenRuns runs(machine);
    for (const PairRow& pair : measure(machine, runs).pairs) {
      const double truth = true_slow_down(machine, pair);
      sum += std::abs(*pair.factor / truth - 1), harm += truth - 1, ++pairs;
    }
  }
  EXPECT_EQ(pairs, 40 * 25);
  EXPECT_LE(sum / pairs, 0.02);
  EXPECT_GE(harm / pairs, 0.2);  // so much is to be predicted
}

TEST(SingleContention, needs_as_many_measurements_as_there_are_stages) {
  const HiddenMachine machine = crossing_machine(1);
  HiddenRuns runs(machine);
  const auto report = measure(machine, runs, 2);
  EXPECT_EQ(runs.calls,
            2 * (5 + 2) * (2 * 4 + 1));  // stages and loads, beside four levels of two loads and the mixture
  EXPECT_EQ(report.pairs.size(), 25u);
  EXPECT_EQ(report.rounds, 2);
}

TEST(SingleContention, an_interval_holds_what_measuring_again_would_change) {
  const HiddenMachine exact = crossing_machine(3);
  HiddenRuns quiet(exact);
  const auto without_noise = measure(exact, quiet);
  for (const PairRow& pair : without_noise.pairs) EXPECT_NEAR(*pair.low, *pair.high, 1e-9);
  HiddenMachine noisy = exact;
  noisy.noise = 0.01;
  HiddenRuns runs(noisy);
  int inside = 0;
  for (int repeat = 0; repeat < 20; ++repeat) {
    const auto again = measure(noisy, runs, 6).pairs;
    for (std::size_t p = 0; p < again.size(); ++p) {
      const double usual = *without_noise.pairs[p].factor;
      inside += *again[p].low <= usual && usual <= *again[p].high ? 1 : 0;
      EXPECT_LT(*again[p].low, *again[p].high);
    }
  }
  EXPECT_GE(inside, 20 * 25 * 85 / 100);
}

TEST(SingleContention, a_stage_that_nothing_slows_and_that_does_nothing_is_in_no_ones_way) {
  HiddenMachine machine = crossing_machine(2);
  machine.stages[0] = {{0, 0}, {0, 0}};
  HiddenRuns runs(machine);
  const auto report = measure(machine, runs);
  EXPECT_EQ(report.contentions[0].pressure, (std::vector<double>{0, 0}));
  for (const PairRow& pair : report.pairs) {
    if (pair.stage_number != 0 && pair.beside_number != 0) continue;
    EXPECT_DOUBLE_EQ(*pair.factor, 1);
    EXPECT_FALSE(pair.significant);
  }
}

TEST(SingleContention, what_is_complete_when_it_is_stopped_counts) {
  const HiddenMachine machine = crossing_machine(1);
  HiddenRuns runs(machine);
  std::atomic<bool> stop = false;
  SingleSettings settings;
  settings.plan = {even_levels(2), {}};
  settings.stop = &stop;
  int steps = 0;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    stop = ++steps == 60;  // a round is 5 stages alone, and 5 + 2 beside two levels of two loads: 33
  };
  const auto report = measure_single({"a", "b", "c", "d", "e"}, {"memory", "cache"}, runs, settings);
  EXPECT_EQ(report.rounds, 1);
  EXPECT_TRUE(report.interrupted);
  stop = true;
  EXPECT_EQ(refused_with([&] {
              measure_single({"a"}, {"memory", "cache"}, runs, settings);
            }),
            "interference: stopped before everything was measured once; let it run longer");
  EXPECT_EQ(refused_with([&] { measure_single({}, {"memory"}, runs, settings); }),
            "interference: the pipeline has no stage or no load; describe at least one");
}

TEST(SingleContention, says_how_far_it_is_off) {
  const HiddenMachine machine = crossing_machine(4);
  HiddenRuns runs(machine);
  const auto report = measure(machine, runs);
  InterferenceReport measured;
  measured.pairs = report.pairs;
  for (PairRow& pair : measured.pairs) *pair.factor *= 1.25;  // every prediction is a fifth too low
  measured.pairs[0].factor.reset();
  const auto check = check_predictions(report, measured);
  EXPECT_FALSE(check.rows[0].error);
  EXPECT_NEAR(check.rows[1].error.value(), -0.2, 1e-12);
  EXPECT_NEAR(check.mean_error.value(), 0.2, 1e-12);
  EXPECT_NEAR(check.largest_error.value(), 0.2, 1e-12);
  EXPECT_NE(to_text(check, {}).find("Mean error 20.0 %, maximum 20.0 %"), std::string::npos);
}

/// Two stages beside the load of one resource at one level: `stages` and `load` times as slow.
SingleRound round_of(std::vector<double> alone, std::vector<double> stages, std::vector<double> lost, double load) {
  SingleRound round;
  round.alone = std::move(alone);
  for (std::size_t s = 0; s < stages.size(); ++s) round.answers.stages.push_back({{{stages[s]}}, 1, {lost[s]}});
  round.answers.loads.push_back({{{load}}, 1, {}});
  return round;
}

TEST(SingleContention, of_several_rounds_is_their_middle_and_how_far_they_are_apart) {
  const LoadPlan plan{{1}, {}};
  const std::vector rounds{round_of({100e3, 50e3}, {1.2, 3}, {1.1, 1.5}, 2),
                           round_of({130e3, 50e3}, {1.4, 3}, {1.3, 1.5}, 2),
                           round_of({100e3, 50e3}, {1.3, 3}, {1.2, 1.5}, 2)};
  const auto report = single_report({"a", "b"}, {"memory"}, rounds, plan);
  EXPECT_EQ(report.rounds, 3);
  ASSERT_EQ(report.alone.size(), 2u);
  EXPECT_DOUBLE_EQ(report.alone[0].mean->count(), 110);
  EXPECT_NEAR(report.alone[0].drift.value(), 130.0 / 110 - 1, 1e-12);
  EXPECT_DOUBLE_EQ(report.alone[1].mean->count(), 50);
  EXPECT_DOUBLE_EQ(report.alone[1].drift.value(), 0);
  ASSERT_EQ(report.loaded.size(), 3u);
  EXPECT_EQ(report.loaded[2].stage, "[load of memory]");
  const auto is = [](const Estimate& one, double value, double times) {
    EXPECT_NEAR(one.value, value, 1e-9);
    EXPECT_NEAR(one.low, value / times, 1e-9);
    EXPECT_NEAR(one.high, value * times, 1e-9);
  };
  // Student's factor of three rounds, 4.303, times the deviation of the logarithms over √3.
  const auto apart = [](double a, double b, double c) {
    const double middle = (std::log(a) + std::log(b) + std::log(c)) / 3;
    double sum = 0;
    for (const double one : {a, b, c}) sum += std::pow(std::log(one) - middle, 2);
    return std::exp(4.302652729749464 * std::sqrt(sum / 2) / std::sqrt(3));
  };
  is(report.loaded[0].slow_down, 1.3, apart(1.2, 1.4, 1.3));
  is(report.loaded[1].slow_down, 3, 1);
  is(report.loaded[2].slow_down, 2, 1);
  is(report.pressures[0].load_lost, 1.2, apart(1.1, 1.3, 1.2));
  is(report.pressures[1].load_lost, 1.5, 1);
  ASSERT_EQ(report.pairs.size(), 4u);
  EXPECT_EQ(report.pairs[2].stage + report.pairs[2].beside, "ba");
  EXPECT_FALSE(report.pairs[0].significant) << "its rounds do not agree";
  EXPECT_TRUE(report.pairs[3].significant) << "they do";
}

TEST(SingleContention, errors_of_several_pairs_are_averaged_without_their_signs) {
  SingleReport predicted;
  InterferenceReport measured;
  for (const auto& [said, found] : {std::pair(1.2, 1.5), {1.1, 1.0}, {3.0, 3.0}}) {
    PairRow& row = predicted.pairs.emplace_back();
    row.factor = said, row.low = said, row.high = said;
    measured.pairs.emplace_back().factor = found;
  }
  const auto check = check_predictions(predicted, measured);
  EXPECT_NEAR(check.rows[0].error.value(), -0.2, 1e-12);
  EXPECT_NEAR(check.rows[1].error.value(), 0.1, 1e-12);
  EXPECT_NEAR(check.mean_error.value(), 0.1, 1e-12);
  EXPECT_NEAR(check.largest_error.value(), 0.2, 1e-12);
  EXPECT_FALSE(check_predictions({}, {}).mean_error);
}

std::string file_of(const SingleReport& report) {
  auto list = tables({report.alone, report.pairs, report.rounds, false});
  for (Table& table : single_tables(report)) list.push_back(std::move(table));
  return to_json(list, "{}");
}

TEST(SingleContention, its_file_gives_the_same_predictions_back) {
  const HiddenMachine machine = crossing_machine(5);
  HiddenRuns runs(machine);
  const auto report = measure(machine, runs);
  const std::string text = file_of(report);
  const auto known = parse_known_stages(text, "file");
  ASSERT_TRUE(known);
  EXPECT_EQ(known->resources, report.resources);
  for (const PairRow& pair : report.pairs) EXPECT_EQ(known->slow_down(pair.stage, pair.beside), pair.factor);
  EXPECT_FALSE(known->slow_down("s0", "other"));
  const auto pairs = parse_interference(text, "file");
  ASSERT_EQ(pairs.size(), 25u);
  EXPECT_TRUE(pairs[1].predicted);
  EXPECT_EQ(pairs[1].factor, report.pairs[1].factor);
  EXPECT_EQ(pairs[1].significant, report.pairs[1].significant);
}

TEST(SingleContention, pairs_alone_are_no_stages) {
  EXPECT_FALSE(parse_known_stages(R"({"tables": {"pairs": []}})", "file"));
}

std::string contention_changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(SingleContention, a_file_that_was_tampered_with_is_refused) {
  const std::string row = R"({"stage":"a","resource":"m","pressure":0.5,"weaker_share":1})";
  const std::string loaded = R"({"stage":"a","resource":"m","level":1,"loaded_factor":1.5})";
  const std::string good =
      R"({"tables":{"pairs":[],"pressures":[)" + row + R"(],"loaded":[)" + loaded + R"(,{"stage":"[load of m]"}]}})";
  ASSERT_TRUE(parse_known_stages(good, "slow.json"));
  const std::string wrong[] = {
      contention_changed(good, row, row + "," + row),
      contention_changed(good, loaded, loaded + "," + loaded),
      contention_changed(good, "0.5", "2.5"),
      contention_changed(good, "0.5", "NaN"),
      contention_changed(good, "1.5", "0"),
      contention_changed(good, "\"level\":1", "\"level\":0.9"),
      contention_changed(good, "\"level\":1,", ""),
      contention_changed(good, row, ""),
      contention_changed(good, loaded + ",", ""),
      contention_changed(good, "\"pressure\":0.5", "\"pressure\":0.5,\"pressure\":0.6"),
  };
  for (const std::string& text : wrong) {
    try {
      parse_known_stages(text, "slow.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("slow.json: ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace takt
