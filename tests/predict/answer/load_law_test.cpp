#include "predict/answer/load_law.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/basics/error.h"
#include "base/statistics/random.h"
#include "base/system/affinity.h"
#include "predict/answer/load_training.h"
#include "predict/answer/loaded_prediction.h"
#include "predict/answer/predict_words.h"
#include "refused.h"

namespace takt {
namespace {

/// What a machine makes of a load: waiting counts whole, a slower memory by the model's share of it and by how busy
/// others are.
double usual_factor(const SeenLoad& seen, double memory_share) {
  return (1 + seen.at("probe_wait_ratio")) * std::pow(1e9 / seen.at("probe_compute_flops"), 0.9) *
         std::pow(1e10 / seen.at("probe_memory_bytes_per_s"), (0.1 + 0.8 * memory_share) * seen.at("cpu_busy_share"));
}

SeenLoad drawn_load(Random& random) {
  return {{"probe_wait_ratio", 2 * uniform(random)},
          {"probe_compute_flops", 1e9 * (0.7 + 0.3 * uniform(random))},
          {"probe_memory_bytes_per_s", 1e10 * (0.4 + 0.6 * uniform(random))},
          {"cpu_busy_share", uniform(random)}};
}

const SeenLoad no_load{{"probe_wait_ratio", 0},
                       {"probe_compute_flops", 1e9},
                       {"probe_memory_bytes_per_s", 1e10},
                       {"cpu_busy_share", 0.01}};

using FactorLaw = std::function<double(const SeenLoad&, double)>;

std::vector<LoadSample> drawn_samples(int count, double noise, const FactorLaw& law) {
  Random random(7);
  std::vector<LoadSample> samples;
  for (int i = 0; i < count; ++i) {
    LoadSample one;
    one.seen = drawn_load(random), one.memory_share = uniform(random);
    one.factor = law(one.seen, one.memory_share) * std::exp(noise * standard_normal(random));
    samples.push_back(std::move(one));
  }
  return samples;
}

std::vector<const LoadSample*> pointers(const std::vector<LoadSample>& samples) {
  std::vector<const LoadSample*> list;
  for (const LoadSample& one : samples) list.push_back(&one);
  return list;
}

const LoadLawKind& kind_named(std::string_view name) {
  const auto kinds = load_law_kinds();
  return *std::find_if(kinds.begin(), kinds.end(), [&](const LoadLawKind& kind) { return kind.name == name; });
}

double mean_error(const LoadLaw& law, const FactorLaw& truth) {
  Random random(99);
  double sum = 0;
  for (int i = 0; i < 200; ++i) {
    const SeenLoad seen = drawn_load(random);
    const double share = uniform(random);
    sum += std::abs(law.factor(seen, share)->factor / truth(seen, share) - 1) / 200;
  }
  return sum;
}

const std::vector<SeenLoad> some_quiet{no_load, no_load, no_load};

TEST(LoadLaw, what_the_probe_feels_is_found_and_needs_few_samples) {
  const auto samples = drawn_samples(60, 0.02, usual_factor);
  const auto law = fit_load_law(pointers(samples), some_quiet, kind_named("probe"));
  ASSERT_TRUE(law);
  EXPECT_LT(mean_error(*law, usual_factor), 0.03);
  EXPECT_NEAR(law->factor(no_load, 0.5)->factor, 1, 1e-12) << "quiet is quiet";
  const std::vector<LoadSample> few(samples.begin(), samples.begin() + 10);
  EXPECT_LT(mean_error(*fit_load_law(pointers(few), some_quiet, kind_named("probe")), usual_factor), 0.15);
  const std::vector<LoadSample> too_few(samples.begin(), samples.begin() + 7);
  EXPECT_FALSE(fit_load_law(pointers(too_few), some_quiet, kind_named("probe")));
}

TEST(LoadLaw, memory_that_is_slow_beside_nobody_is_no_load) {
  const auto law = fit_load_law(pointers(drawn_samples(60, 0.02, usual_factor)), some_quiet, kind_named("probe"));
  SeenLoad slow = no_load;
  slow["probe_memory_bytes_per_s"] = 6e9;
  EXPECT_NEAR(law->factor(slow, 1)->factor, 1, 0.02) << "others of the host";
  slow["cpu_busy_share"] = 1;
  const double beside_others = law->factor(slow, 1)->factor;
  EXPECT_GT(beside_others, 1.3);
  slow.erase("cpu_busy_share");
  EXPECT_DOUBLE_EQ(law->factor(slow, 1)->factor, beside_others) << "nobody told whether others work";
}

TEST(LoadLaw, a_device_that_speeds_up_under_load_is_predicted_to) {
  const FactorLaw faster = [](const SeenLoad& seen, double) { return 1 - 0.36 * seen.at("cpu_busy_share"); };
  const auto samples = drawn_samples(60, 0.01, faster);
  const auto law = fit_load_law(pointers(samples), some_quiet, kind_named("busy"));
  ASSERT_TRUE(law);
  EXPECT_LT(mean_error(*law, faster), 0.03);
  SeenLoad busy = no_load;
  busy["cpu_busy_share"] = 0.95;
  EXPECT_LT(law->factor(busy, 0)->factor, 0.75);
}

TEST(LoadLaw, figures_that_are_missing_or_were_never_seen_in_quiet_are_no_law) {
  const auto samples = drawn_samples(60, 0, usual_factor);
  EXPECT_FALSE(fit_load_law(pointers(samples), {}, kind_named("probe")));
  EXPECT_FALSE(fit_load_law(pointers(samples), some_quiet, kind_named("gpu")));
  const auto law = fit_load_law(pointers(samples), some_quiet, kind_named("probe"));
  SeenLoad part = no_load;
  part.erase("probe_wait_ratio");
  EXPECT_FALSE(law->factor(part, 0));
}

TEST(LoadLaw, a_load_that_has_just_changed_counts_as_it_is_now) {
  const auto samples = drawn_samples(60, 0, usual_factor);
  const auto probe = fit_load_law(pointers(samples), some_quiet, kind_named("probe"));
  SeenLoad seen = no_load;
  seen["probe_wait_ratio"] = 0.25, seen[std::string(wait_trend_feature)] = 1.2;
  EXPECT_NEAR(probe->factor(seen, 0)->factor, 1.5, 0.05);
  seen[std::string(wait_trend_feature)] = 0;
  EXPECT_NEAR(probe->factor(seen, 0)->factor, 1.25, 0.05) << "no number of turns";
  const auto busy = fit_load_law(pointers(samples), some_quiet, kind_named("busy"));
  const double before = busy->factor(seen, 0)->factor;
  seen[std::string(wait_trend_feature)] = 1.2;
  EXPECT_DOUBLE_EQ(busy->factor(seen, 0)->factor, before) << "it knows nothing of waiting";
}

/// Readings that drift while the models take the same: the more, the less of it is believed.
TEST(LoadLaw, weights_that_few_samples_suggest_are_drawn_to_the_first_guess) {
  std::vector<LoadSample> samples =
      drawn_samples(40, 0, [](const SeenLoad& seen, double) { return 1 + seen.at("probe_wait_ratio"); });
  for (LoadSample& one : samples) one.seen["probe_memory_bytes_per_s"] = 9e9, one.factor *= 1.05;
  const auto law = fit_load_law(pointers(samples), some_quiet, kind_named("probe"));
  for (const LoadTerm& term : law->terms()) {
    if (term.feature != "probe_memory_bytes_per_s") continue;
    EXPECT_LT(term.weight + 0.5 * term.by_memory, 0.4) << "0.7 where it is believed whole";
  }
}

/// How long a probe waits is luck to a fifth or so; runs wait as long as is fair.
std::vector<LoadSample> samples_with_luck(std::uint64_t seed, int count, double busy) {
  Random random(seed);
  std::vector<LoadSample> samples(static_cast<std::size_t>(count));
  for (LoadSample& one : samples) {
    const double fair = 2 * uniform(random);
    one.seen = {{"probe_wait_ratio", (1 + fair) * std::exp(0.2 * standard_normal(random)) - 1},
                {"probe_fair_wait_ratio", fair},
                {"probe_compute_flops", 1e9},
                {"probe_memory_bytes_per_s", 1e10},
                {"cpu_busy_share", busy}};
    one.factor = 1 + fair;
  }
  return samples;
}

/// The mean error of a law of this kind.
double error_with_luck(std::string_view kind, double busy) {
  const auto samples = samples_with_luck(1, 60, busy), others = samples_with_luck(2, 200, busy);
  SeenLoad nothing = no_load;
  nothing["probe_fair_wait_ratio"] = 0;
  const std::vector<SeenLoad> quiet(3, nothing);
  const auto law = fit_load_law(pointers(samples), quiet, kind_named(kind));
  double sum = 0;
  for (const LoadSample& one : others) sum += std::abs(law->factor(one.seen, 0)->factor / one.factor - 1) / 200;
  return sum;
}

TEST(LoadLaw, the_luck_of_a_probe_counts_less_where_the_fair_share_is_known) {
  EXPECT_GT(error_with_luck("probe", 1), 0.1);
  EXPECT_LT(error_with_luck("turns", 1), 0.6 * error_with_luck("probe", 1));
  EXPECT_NEAR(error_with_luck("turns", 0.5), error_with_luck("probe", 0.5), 1e-9)
      << "threads that sleep share otherwise";
}

TEST(LoadLaw, says_what_it_would_have_to_see) {
  const auto samples = samples_with_luck(1, 60, 1);
  SeenLoad seen = samples.front().seen;
  const auto law = fit_load_law(pointers(samples), std::vector<SeenLoad>(3, seen), kind_named("turns"));
  EXPECT_TRUE(law->missing(seen).empty());
  seen.erase("cpu_busy_share");
  EXPECT_FALSE(law->factor(seen, 0));
  EXPECT_EQ(law->missing(seen), std::set<std::string>{"cpu_busy_share"});
  EXPECT_EQ(law->missing({}).size(), 5u);
}

TEST(LoadLaw, more_load_than_was_trained_on_is_said_and_all_but_the_wait_is_held) {
  const auto law = fit_load_law(pointers(drawn_samples(60, 0, usual_factor)), some_quiet, kind_named("probe"));
  SeenLoad much = no_load;
  much["probe_wait_ratio"] = 9;
  const auto ten_threads = law->factor(much, 0);
  EXPECT_TRUE(ten_threads->is_beyond);
  EXPECT_NEAR(ten_threads->factor, 10, 1) << "a third of that was trained on";
  much = no_load;
  much["probe_compute_flops"] = 1e6;
  const auto slow = law->factor(much, 0);
  EXPECT_TRUE(slow->is_beyond);
  EXPECT_LT(slow->factor, 2);
  EXPECT_FALSE(law->factor(no_load, 0)->is_beyond);
}

TEST(LoadLaw, widths_are_of_thirds_where_there_are_enough) {
  std::vector<LoadError> errors;
  for (int i = 0; i < 90; ++i) errors.push_back({1.0 + i, i < 30 ? 0.1 : i < 60 ? 0.2 : 0.3});
  const auto widths = load_widths(errors);
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_EQ(widths[0].up_to_factor, 30);
  EXPECT_EQ(widths[0].width, 0.1);
  EXPECT_EQ(widths[2].width, 0.3);
  errors.resize(20);
  EXPECT_EQ(load_widths(errors).size(), 1u);
  EXPECT_TRUE(load_widths({}).empty());
}

/// Of 12 models, each beside `loads` loads, with this much noise; their own predictions are 2 % off.
ByLoad drawn_by_load(int loads, double noise, std::vector<double>& quiet_us) {
  Random random(3);
  ByLoad data{drawn_dataset(12, 5, 0, [](const KernelFacts& facts) { return facts[Feature::input_bytes] / 100; }), {}};
  for (CollectedModel& model : data.quiet.models) {
    model.load.seen = no_load;
    quiet_us.push_back(model.latency_ms * 1000 * std::exp(0.02 * standard_normal(random)));
    for (int k = 0; k < loads; ++k) {
      CollectedModel beside = model;
      beside.load.asked = {"memory", 0.1 + 0.1 * (k % 9), 1 + k / 9};
      beside.load.seen = drawn_load(random);
      std::vector<const KernelFacts*> facts;
      std::vector<double> us;
      for (const CollectedKernel& one : model.kernels) facts.push_back(&one.facts), us.push_back(one.latency_ms);
      beside.latency_ms *= usual_factor(beside.load.seen, memory_share(facts, us, model.constants)) *
                           std::exp(noise * standard_normal(random));
      data.loaded.models.push_back(std::move(beside));
    }
  }
  return data;
}

TEST(LoadTraining, models_and_loads_that_it_has_not_seen_are_predicted_with_intervals_that_hold) {
  std::vector<double> quiet_us;
  const ByLoad data = drawn_by_load(18, 0.03, quiet_us);
  const LoadTraining training = train_load(data, quiet_us);
  ASSERT_EQ(training.laws.size(), 2u);
  EXPECT_EQ(training.laws.front().kind(), "probe");
  EXPECT_EQ(training.laws.back().kind(), "busy");
  ASSERT_EQ(training.errors.size(), 3u);
  const ErrorRow &takt = training.errors[0], &busy = training.errors[1], &ignoring = training.errors[2];
  EXPECT_EQ(takt.method, "takt");
  EXPECT_EQ(takt.split, "load");
  EXPECT_LT(takt.figures.mape, 0.05);
  EXPECT_NEAR(*takt.figures.coverage, 0.9, 0.06);
  EXPECT_GT(busy.figures.mape, 2 * takt.figures.mape);
  EXPECT_EQ(ignoring.method, "without load");
  EXPECT_GT(ignoring.figures.mape, 0.3);
}

TEST(LoadTraining, without_loads_there_is_nothing) {
  std::vector<double> quiet_us;
  const ByLoad data = drawn_by_load(0, 0, quiet_us);
  EXPECT_TRUE(train_load(data, quiet_us).laws.empty());
  EXPECT_TRUE(train_load(data, quiet_us).errors.empty());
}

TEST(LoadedPrediction, takes_the_most_certain_law_that_has_its_figures) {
  std::vector<double> quiet_us;
  Predictor predictor;
  ModelPrediction quiet;
  quiet.kernels.push_back({.tier = Tier::trained, .us = 80, .low_us = 70, .high_us = 90, .recorded_us = 82});
  quiet.overhead_us = 20, quiet.us = 100, quiet.low_us = 95, quiet.high_us = 105;
  const std::vector<KernelFacts> kernels{kernel("Conv", KernelGroup::conv, 1000, 10)};
  predictor.trees = RatioTrees({1e9, 1e9}, 1);
  EXPECT_EQ(refused_with([&] { beside_load(predictor, quiet, kernels, no_load); }),
            "the predictor has no load model: its dataset was collected without --stress, or has too few measurements "
            "under load; collect with --stress (more rounds, fewer other programs) and fit again");

  predictor.model_width = 0.05;
  predictor.load_laws = train_load(drawn_by_load(18, 0.03, quiet_us), quiet_us).laws;
  SeenLoad seen = no_load;
  seen["probe_wait_ratio"] = 1, seen["cpu_busy_share"] = 0.5;
  const ModelPrediction beside = beside_load(predictor, quiet, kernels, seen);
  EXPECT_EQ(beside.load->from, "probe");
  EXPECT_NEAR(beside.load->factor, 2, 0.1);
  EXPECT_NEAR(beside.us, 100 * beside.load->factor, 1e-9);
  EXPECT_NEAR(beside.us, beside.kernels.front().us + beside.overhead_us, 1e-9);
  EXPECT_GE(std::log(beside.high_us / beside.us), std::log(quiet.high_us / quiet.us));
  EXPECT_LT(beside.low_us, beside.us);

  seen.erase("probe_wait_ratio");
  const ModelPrediction less = beside_load(predictor, quiet, kernels, seen);
  EXPECT_EQ(less.load->from, "busy");
  EXPECT_GT(less.high_us / less.low_us, beside.high_us / beside.low_us);

  const ModelPrediction none = beside_load(predictor, quiet, kernels, {});
  EXPECT_EQ(none.load->from, "");
  EXPECT_EQ(none.us, quiet.us);
  EXPECT_GT(none.high_us, 4.9 * quiet.high_us);
}

TEST(StressPlan, draws_as_many_loads_as_are_wanted_and_the_same_ones_again) {
  StressPlan plan;
  plan.threads = {1, 2};
  EXPECT_EQ(plan.loads_of(0, 1).size(), 18u);
  for (const auto& [wanted, drawn] : {std::pair(1, 1u), {17, 17u}, {18, 18u}, {19, 18u}, {-1, 18u}}) {
    plan.per_model = wanted;
    EXPECT_EQ(plan.loads_of(0, 1).size(), drawn) << wanted;
  }
  plan.per_model = 4;
  const auto drawn = plan.loads_of(3, 1);
  EXPECT_EQ(std::set<AskedLoad>(drawn.begin(), drawn.end()).size(), 4u);
  EXPECT_EQ(drawn, plan.loads_of(3, 1));
  EXPECT_NE(drawn, plan.loads_of(4, 1));
  EXPECT_NE(drawn, plan.loads_of(3, 2));
  plan.threads.clear(), plan.per_model = 0;
  EXPECT_EQ(plan.loads_of(0, 1).back().threads, 2 * usable_core_count());
}

TEST(AskedLoad, is_a_stressor_of_its_kind) {
  const StressTask task = stress_task_of({"cache", 0.5, 3}, Nanoseconds(1000));
  EXPECT_EQ(task.processors.cache, 0.5);
  EXPECT_EQ(task.processors.compute, 0);
  EXPECT_EQ(task.threads, 3);
  EXPECT_EQ(task.duration, Nanoseconds(1000));
  EXPECT_EQ(stress_task_of({"memory", 1, 1}, Nanoseconds(1)).processors.memory, 1);
  EXPECT_EQ(to_string(AskedLoad{"compute", 0.6, 2}), "compute 60% x 2");
  EXPECT_EQ(to_string(AskedLoad{}), "");
}

TEST(SeenLoad, is_what_is_live_on_the_host) {
  LoadSnapshot snapshot;
  LoadReading busy = reading_of("cpu_busy_share", "host", "host"),
              other = reading_of("cpu_busy_share", "node7", "prometheus");
  other.value = 0.9, busy.value = 0.25;
  LoadReading stale = reading_of("run_delay_share", "host", "host");
  stale.value = 3, stale.trouble = "an hour old";
  LoadReading unused = reading_of("load_average", "host", "host");
  unused.value = 1;
  snapshot.readings = {other, busy, stale, unused};
  EXPECT_EQ(seen_in(snapshot), (SeenLoad{{"cpu_busy_share", 0.25}}));
}

TEST(SeenLoad, has_nothing_of_a_probe_that_worked_for_a_moment) {
  LoadSnapshot snapshot;
  for (const char* name : {"probe_wait_ratio", "probe_fair_wait_ratio", "probe_wait_trend", "probe_compute_flops"}) {
    LoadReading reading = reading_of(name, "host", "prometheus");
    reading.value = 2, reading.window = Nanoseconds(2'000'000);
    snapshot.readings.push_back(reading);
  }
  EXPECT_EQ(seen_in(snapshot), (SeenLoad{{"probe_compute_flops", 2}}));
  EXPECT_EQ(brief_probe(snapshot).find("the probe worked for 2.00 ms, and a prediction needs 450 ms"), 0u)
      << brief_probe(snapshot);
  for (LoadReading& reading : snapshot.readings) reading.window = Nanoseconds(500'000'000);
  EXPECT_EQ(seen_in(snapshot).size(), 4u);
  EXPECT_EQ(brief_probe(snapshot), "");
}

TEST(LoadWidth, is_that_of_the_first_that_reaches_so_far) {
  const std::vector<LoadWidth> widths{{1.5, 0.1}, {3, 0.2}, {5, 0.4}};
  for (const auto& [factor, width] :
       {std::pair(0.5, 0.1), {1.5, 0.1}, {1.501, 0.2}, {3.0, 0.2}, {5.0, 0.4}, {50.0, 0.4}})
    EXPECT_EQ(width_at(widths, factor), width) << factor;
  EXPECT_FALSE(width_at({}, 1));
}

}  // namespace
}  // namespace takt
