// Settings of trainings, what they plant, and what is written of them.
#include "training/scenario/scenario.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "training/scenario/metrics_file.h"

namespace takt {
namespace {

using testing::HasSubstr;

std::string settings_refusal(const ScenarioSettings& settings) {
  try {
    check(settings);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Scenario, names_are_those_that_are_typed) {
  for (const std::string& name : scenario_names()) EXPECT_EQ(name_of(scenario_named(name)), name);
  try {
    scenario_named("loader");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("dataloader, sync, tiny_ops, memory_churn"));
  }
}

TEST(Scenario, plants_one_fault_and_the_stronger_the_more) {
  const auto faults = [](Scenario scenario, FaultStrength strength) {
    const Pressure p = pressure_of({.scenario = scenario, .strength = strength});
    return std::vector<double>{p.io_sleep_ms, double(p.reads), double(p.tiny_ops), double(p.temporaries)};
  };
  for (std::size_t i = 0; i < scenario_names().size(); ++i) {
    const auto scenario = static_cast<Scenario>(i);
    const auto none = faults(scenario, FaultStrength::none), mild = faults(scenario, FaultStrength::mild),
               strong = faults(scenario, FaultStrength::strong);
    for (std::size_t k = 0; k < none.size(); ++k) {
      EXPECT_EQ(none[k], 0);
      if (k == i) {
        EXPECT_GT(mild[k], 0);
        EXPECT_GT(strong[k], mild[k]);
      } else {
        EXPECT_EQ(strong[k], 0);
      }
    }
  }
  EXPECT_EQ(pressure_of({}).cpu_work, 4000);
  EXPECT_EQ(pressure_of({.scenario = Scenario::sync}).cpu_work, 200);
}

TEST(Scenario, a_task_comes_through_json_whole) {
  TrainerTask task;
  task.settings = {.scenario = Scenario::memory_churn,
                   .strength = FaultStrength::mild,
                   .device = "cpu",
                   .batch_size = 3,
                   .num_workers = 0,
                   .warmup_steps = 1,
                   .profile_steps = 5,
                   .pin_memory = true,
                   .amp = true,
                   .with_stack = true,
                   .seed = 1234567890123456789,
                   .image_size = 16,
                   .width = 4,
                   .threads = 2};
  task.trace_file = "a \"b\"/c.json";
  task.parent = 7;
  EXPECT_EQ(to_json(parse_trainer_task(to_json(task))), to_json(task));
  EXPECT_EQ(parse_trainer_task(to_json(task)).settings.seed, 1234567890123456789u);
}

TEST(Scenario, what_is_no_task_is_refused) {
  const std::string good = to_json(TrainerTask{});
  EXPECT_NO_THROW(parse_trainer_task(good));
  for (const std::string& bad : {std::string("{"), std::string("[]"), std::string("{}"), good.substr(0, 40)})
    EXPECT_THROW(parse_trainer_task(bad), Error) << bad;
  for (const auto& [key, value] : {std::pair("batch_size", "\"many\""), std::pair("device", "\"tpu\""),
                                   std::pair("strength", "\"weak\""), std::pair("width", "0")}) {
    auto told = nlohmann::json::parse(good);
    told[key] = nlohmann::json::parse(value);
    EXPECT_THROW(parse_trainer_task(told.dump()), Error) << key;
  }
}

TEST(Scenario, what_cannot_be_run_is_refused_by_the_option_s_name) {
  EXPECT_EQ(settings_refusal({}), "");
  EXPECT_THAT(settings_refusal({.batch_size = 0}), HasSubstr("--batch-size 0: must be from 1 to 65536"));
  EXPECT_THAT(settings_refusal({.num_workers = -1}), HasSubstr("--num-workers"));
  EXPECT_THAT(settings_refusal({.warmup_steps = -1}), HasSubstr("--warmup-steps -1: must be from 0 to 1000000"));
  EXPECT_THAT(settings_refusal({.profile_steps = 0}), HasSubstr("--profile-steps"));
  EXPECT_THAT(settings_refusal({.image_size = 7}), HasSubstr("--image-size 7: must be from 8 to 1024"));
  EXPECT_THAT(settings_refusal({.threads = 1025}), HasSubstr("--threads 1025: must be from 0 to 1024"));
  EXPECT_THAT(settings_refusal({.device = "npu"}), HasSubstr("--device 'npu'"));
}

TEST(ScenarioMetrics, have_the_eight_keys_and_the_rest_under_takt) {
  ScenarioOutcome outcome;
  outcome.settings.scenario = Scenario::sync;
  outcome.trace_dir = "traces";
  outcome.run.step_times = {Nanoseconds(3'000'000), Nanoseconds(5'000'000)};
  outcome.run.data_waits = {Nanoseconds(1'000'000), Nanoseconds(0)};
  outcome.run.last_loss = std::nan("");
  outcome.figures.reads_per_step = 64;
  const auto metrics = nlohmann::ordered_json::parse(metrics_json(outcome, {}));
  std::vector<std::string> keys;
  for (const auto& [key, value] : metrics.items()) keys.push_back(key);
  EXPECT_THAT(keys, testing::ElementsAre("scenario", "batch_size", "num_workers", "pin_memory", "amp",
                                         "avg_step_time_s", "avg_dataloader_wait_s", "trace_dir", "takt"));
  EXPECT_EQ(metrics["scenario"], "sync");
  EXPECT_DOUBLE_EQ(metrics["avg_step_time_s"].get<double>(), 0.004);
  EXPECT_DOUBLE_EQ(metrics["avg_dataloader_wait_s"].get<double>(), 0.0005);
  EXPECT_EQ(metrics["takt"]["reads_per_step"], 64);
  EXPECT_TRUE(metrics["takt"]["bytes_per_step"].is_null());  // missing is not zero
  EXPECT_TRUE(metrics["takt"]["last_loss"].is_null());
  EXPECT_EQ(metrics["takt"]["step_times_ns"].dump(), "[3000000,5000000]");
}

}  // namespace
}  // namespace takt
