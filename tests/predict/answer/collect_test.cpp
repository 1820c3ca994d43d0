#include "predict/collect/collect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnx/builder.h"
#include "model/runtime/runtime.h"
#include "places.h"
#include "predict/answer/evaluate.h"
#include "predict/answer/predict_words.h"
#include "predict/collect/bench.h"
#include "predict/collect/journal.h"
#include "predict/collect/process.h"
#include "predict/collect/steps.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

CollectRecord record_of(const std::string& model, int round, double us) {
  CollectRecord record;
  record.model = model, record.round = round, record.status = CollectStatus::measured;
  record.architecture = "arch", record.family = "family", record.runtime_version = "1";
  record.takt_version = "0.1", record.measured_at = "2026-01-02T03:04:05Z";
  record.latency_us = us, record.canary = CanaryTimes{400, 600};
  record.load.run_delay = 0.01;
  record.kernels.push_back({kernel("Conv", KernelGroup::conv, 100, 10), "conv_1", us / 2});
  return record;
}

template <typename Call>
std::string refusal_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(CollectRecord, what_a_child_tells_is_understood) {
  const std::string line = to_json(record_of("a.onnx", 2, 50));
  const CollectRecord read = parse_collect_record(line, "x:1");
  EXPECT_EQ(to_json(read), line);
  EXPECT_EQ(read.kernels.front().us, 25);
  EXPECT_TRUE(std::isnan(read.kernels.front().facts[Feature::rows]));
  CollectTask task{.model = "m.onnx", .threads = 3, .time = Duration(5000), .with_kernels = false, .round = 4};
  EXPECT_EQ(to_json(parse_collect_task(to_json(task))), to_json(task));
}

TEST(CollectRecord, a_load_is_kept_with_what_was_seen_of_it) {
  CollectRecord record = record_of("a.onnx", 1, 50);
  record.load.asked = {"cache", 0.3, 4},
  record.load.seen = {{"probe_wait_ratio", 0.5}, {std::string(wait_trend_feature), 1.2}};
  const std::string line = to_json(record);
  const CollectRecord read = parse_collect_record(line, "x:1");
  EXPECT_EQ(to_json(read), line);
  EXPECT_EQ(read.load.asked, record.load.asked);
  EXPECT_EQ(read.load.seen, record.load.seen);
  std::string changed = line;
  changed.replace(changed.find("cache"), 5, "cakes");
  EXPECT_THAT(refusal_of([&] { parse_collect_record(changed, "x:1"); }), HasSubstr("has an invalid load"));
}

TEST(CollectSteps, loads_stand_between_models_in_the_first_round) {
  CollectSettings settings;
  settings.models = {"a.onnx", "b.onnx", "c.onnx"}, settings.rounds = 2;
  EXPECT_EQ(steps_of(settings).size(), 6u);
  settings.stress.emplace();
  settings.stress->per_model = 4;
  const auto steps = steps_of(settings);
  ASSERT_EQ(steps.size(), 6u + 12u);
  EXPECT_EQ(std::count_if(steps.begin(), steps.end(), [](auto& step) { return !step.load.is_quiet(); }), 12);
  EXPECT_TRUE(steps[15].load.is_quiet() && steps[16].load.is_quiet() && steps[17].load.is_quiet());
  settings.seed = 7;
  for (std::size_t model = 0; model < settings.models.size(); ++model) {
    std::vector<AskedLoad> loads;
    for (const CollectStep& step : steps_of(settings))
      if (step.model == settings.models[model] && !step.load.is_quiet()) loads.push_back(step.load);
    EXPECT_THAT(loads, testing::UnorderedElementsAreArray(settings.stress->loads_of(model, 7))) << model;
  }
  // One beside a load is not done because the same model in quiet is, and sees no canary of quiet.
  CollectRecord record = record_of("a.onnx", 1, 50);
  DoneSteps done({record}, 2);
  record.load.asked = {"cache", 0.3, 4}, record.canary = CanaryTimes{4, 6};
  EXPECT_FALSE(done.has({"a.onnx", 1, record.load.asked}));
  done.note(record);
  EXPECT_TRUE(done.has({"a.onnx", 1, record.load.asked}));
  EXPECT_FALSE(done.has({"a.onnx", 1, {"cache", 0.6, 4}}));
  EXPECT_EQ(done.usual_canary(), 1000);
}

TEST(CollectSteps, a_second_of_luck_is_no_measure_for_what_the_canary_takes) {
  CollectRecord record = record_of("a.onnx", 1, 50);
  DoneSteps done({}, 2);
  EXPECT_EQ(done.usual_canary(), std::nullopt);
  for (const double memory_us : {1250.0, 630.0, 1180.0, 1300.0, 1240.0}) {
    record.canary = CanaryTimes{200, memory_us};
    record.status = memory_us == 1300 ? CollectStatus::disturbed : CollectStatus::measured;
    done.note(record);
  }
  EXPECT_EQ(done.usual_canary(), 1440);
}

TEST(CollectSteps, what_was_disturbed_is_tried_again_as_often_as_is_wanted) {
  CollectRecord record = record_of("a.onnx", 2, 50);
  record.status = CollectStatus::disturbed;
  const CollectStep step{"folder/a.onnx", 2, {}};
  DoneSteps done({}, 2);
  for (const bool is_done : {false, false, true}) {
    done.note(record);
    EXPECT_EQ(done.has(step), is_done);
    EXPECT_FALSE(done.has({"folder/a.onnx", 1, {}})) << "another round";
    EXPECT_FALSE(done.has({"folder/b.onnx", 2, {}}));
  }
  EXPECT_TRUE(DoneSteps({record}, 0).has(step));
  record.status = CollectStatus::failed;
  EXPECT_TRUE(DoneSteps({record}, 2).has(step)) << "it would fail again";
}

TEST(CollectRecord, refuses_what_none_can_hold) {
  const std::string good = to_json(record_of("a.onnx", 2, 50));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
    return refusal_of([&] { parse_collect_record(text, "x:7"); });
  };
  EXPECT_EQ(with("\"latency_us\":50.0", "\"latency_us\":1e300"),
            "x:7: 'latency_us' is 1e+300; give a number from 0 to 1000000000000000");
  EXPECT_THAT(with("\"round\":2", "\"round\":9223372036854775808"), HasSubstr("'round' is 9223372036854775808"));
  EXPECT_THAT(with("[400.0,600.0]", "[400.0]"), HasSubstr("'canary_us' is not a list of two times"));
  EXPECT_THAT(with("\"conv_1\",25.0", "\"conv_1\",-25.0"), HasSubstr("x:7: kernel 0 is -25.0; give a number from 0"));
  EXPECT_THAT(with("\"seen\":{}", "\"seen\":{\"no_such\":1}"), HasSubstr("'no_such' is not a load metric"));
  EXPECT_THAT(with("\"steal\":null", "\"steal\":-1"), HasSubstr("'steal' is -1; give a number from 0"));
  EXPECT_THAT(with("\"conv_1\",25.0", "\"conv_1\""), HasSubstr("a kernel is a list of nine"));
  EXPECT_THAT(with("\"conv_1\",25.0", "\"conv_1\",0"), HasSubstr("has a kernel without a time"));
  EXPECT_THAT(with("[400.0,600.0]", "[400.0,0]"), HasSubstr("has a canary without a time"));
  EXPECT_THAT(with("\"latency_us\":50.0", "\"latency_us\":0"), HasSubstr("x:7: has no time"));
  std::string fewer = good;
  const std::size_t end = fewer.find("]]");
  fewer.erase(fewer.rfind(',', end), end - fewer.rfind(',', end));
  EXPECT_THAT(refusal_of([&] { parse_collect_record(fewer, "x:7"); }),
              HasSubstr("its features differ from those of this version"));
}

TEST(CollectRecord, refuses_what_is_none) {
  EXPECT_THAT(refusal_of([] { parse_collect_record("{}", "x:7"); }), HasSubstr("x:7: is not a record of a collection"));
  std::string line = to_json(record_of("a.onnx", 2, 50));
  line.replace(line.find("\"measured\""), 10, "\"guessed\"");
  EXPECT_THAT(refusal_of([&] { parse_collect_record(line, "x:7"); }), HasSubstr("'guessed' is not a status"));
  EXPECT_THAT(refusal_of([] { parse_collect_task("{}"); }), HasSubstr("something other than a task"));
}

TEST(CollectConfig, says_what_to_measure) {
  const CollectSettings settings =
      parse_collect_config("models: [zoo, a.onnx]\nrounds: 5\ntime: 200ms\nthreads: 2\nrun_delay: 0.5\n", "dir/c.yaml");
  ASSERT_EQ(settings.models.size(), 2u);
  EXPECT_EQ(settings.models[0], "dir/zoo");
  EXPECT_EQ(settings.rounds, 5);
  EXPECT_EQ(settings.time, Duration(200000));
  EXPECT_EQ(settings.threads, 2);
  EXPECT_EQ(settings.most_run_delay, 0.5);
}

TEST(CollectConfig, says_beside_which_loads) {
  const CollectSettings settings = parse_collect_config(
      "models: zoo\nstress: {kinds: memory, levels: [0.5, 1], threads: 3, per_model: 1, time: 3s}\nload: {sources: "
      "[host]}\n",
      "c.yaml");
  ASSERT_TRUE(settings.stress);
  EXPECT_EQ(settings.stress->kinds, std::vector<std::string>{"memory"});
  EXPECT_EQ(settings.stress->levels, (std::vector<double>{0.5, 1}));
  EXPECT_EQ(settings.stress->threads, std::vector<int>{3});
  EXPECT_EQ(settings.stress->per_model, 1);
  EXPECT_EQ(time_beside_loads(settings), Duration(3e6));
  EXPECT_EQ(settings.load.sources, std::vector<std::string>{"host"});
  EXPECT_FALSE(parse_collect_config("models: zoo\n", "c.yaml").stress);
  EXPECT_EQ(time_beside_loads(parse_collect_config("models: zoo\n", "c.yaml")), Duration(2e6));
  EXPECT_EQ(time_beside_loads(parse_collect_config("models: zoo\ntime: 4s\n", "c.yaml")), Duration(4e6))
      << "as in quiet";
}

TEST(CollectConfig, the_example_says_what_holds_without_it) {
  const CollectSettings usual, example = read_collect_config(source_dir() / "examples/collect.yaml");
  EXPECT_EQ(example.rounds, usual.rounds);
  EXPECT_EQ(example.time, usual.time);
  EXPECT_EQ(example.most_run_delay, usual.most_run_delay);
  EXPECT_EQ(example.most_canary, usual.most_canary);
  EXPECT_EQ(example.retries, usual.retries);
}

TEST(CollectConfig, refuses_with_line_and_key) {
  EXPECT_THAT(refusal_of([] { parse_collect_config("rounds: 2\n", "c.yaml"); }), HasSubstr("models"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: zoo\nrounds: 0\n", "c.yaml"); }), HasSubstr("c.yaml:2"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: zoo\nround: 2\n", "c.yaml"); }), HasSubstr("rounds"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: {a: b}\n", "c.yaml"); }), HasSubstr("is not a path"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: zoo\nstress: {levels: 2}\n", "c.yaml"); }),
              HasSubstr("stress.levels"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: zoo\nstress: {kinds: [disk]}\n", "c.yaml"); }),
              HasSubstr("is not a load"));
  EXPECT_THAT(refusal_of([] { parse_collect_config("models: zoo\nstress: {kinds: []}\n", "c.yaml"); }),
              HasSubstr("empty list"));
}

class Collections : public testing::Test {
 protected:
  CollectConfiguration configuration{"a machine", "onnxruntime", "CPU", 1, 1e6, 2e6, {1e9, 1e9}};
  TestFolder folder;
};

TEST_F(Collections, a_journal_whose_first_line_a_power_cut_damaged_tells_nothing) {
  const auto out = folder.path() / "d.csv";
  const std::string damaged = to_json(configuration) + std::string(3, '\0') + "rest";
  write_file_atomically(out.string() + ".1-of-2.jsonl", damaged);
  EXPECT_FALSE(read_collect_journals(out));
  write_file_atomically(out.string() + ".2-of-2.jsonl",
                        to_json(configuration) + "\n" + to_json(record_of("b.onnx", 1, 5)) + "\n");
  const auto read = read_collect_journals(out);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->records.size(), 1u);
  EXPECT_THAT(read->damage, testing::ElementsAre(HasSubstr("d.csv.1-of-2.jsonl")));
}

TEST_F(Collections, journals_of_shards_count_together) {
  const auto out = folder.path() / "d.csv";
  EXPECT_FALSE(read_collect_journals(out));
  write_file_atomically(out.string() + ".jsonl",
                        to_json(configuration) + "\n" + to_json(record_of("a.onnx", 1, 5)) + "\n");
  write_file_atomically(out.string() + ".2-of-3.jsonl",
                        to_json(configuration) + "\n" + to_json(record_of("b.onnx", 1, 5)) + "\n");
  write_file_atomically(out.string() + "x.jsonl", "not ours\n");
  EXPECT_EQ(read_collect_journals(out)->records.size(), 2u);
  CollectConfiguration other = configuration;
  other.threads = 2;
  write_file_atomically(out.string() + ".3-of-3.jsonl", to_json(other) + "\n");
  EXPECT_THAT(refusal_of([&] { read_collect_journals(out); }), HasSubstr("threads"));
  // Before they said how long they measured beside loads it was as long as in quiet.
  std::string old = to_json(configuration);
  old.erase(old.find("\"loaded_time_us\""), std::string("\"loaded_time_us\":2000000.0,").size());
  write_file_atomically(out.string() + ".3-of-3.jsonl", old + "\n");
  EXPECT_THAT(refusal_of([&] { read_collect_journals(out); }), HasSubstr("time under load"));
  write_file_atomically(out.string() + ".3-of-3.jsonl", "{\"some\": \"thing\"}\n");
  EXPECT_THAT(refusal_of([&] { read_collect_journals(out); }), HasSubstr("is not the journal"));
}

TEST_F(Collections, datasets_are_merged_and_models_told_apart) {
  Dataset one = drawn_dataset(2, 3, 0, [](const KernelFacts&) { return 1.0; });
  Dataset other = one;
  for (CollectedModel& each : other.models) each.model = "other_" + each.model;
  write_dataset(one, folder.path() / "a.csv");
  write_dataset(other, folder.path() / "b.csv.gz");
  EXPECT_EQ(merge_datasets({folder.path() / "a.csv", folder.path() / "b.csv.gz"}).models.size(), 4u);
  EXPECT_THAT(refusal_of([&] {
                merge_datasets({folder.path() / "a.csv", folder.path() / "a.csv"});
              }),
              HasSubstr("is also in an earlier dataset"));
}

TEST_F(Collections, folders_without_models_and_two_of_one_name_are_refused) {
  EXPECT_THAT(refusal_of([&] { models_to_collect({folder.path()}); }), HasSubstr("has no .onnx file"));
  EXPECT_THAT(refusal_of([&] { models_to_collect({folder.path() / "none.onnx"}); }), HasSubstr("no such file"));
  write_file_atomically(folder.path() / "a.onnx", "x");
  EXPECT_THAT(refusal_of([&] {
                models_to_collect({folder.path(), folder.path() / "a.onnx"});
              }),
              HasSubstr("two models have this name"));
}

/// What the parent makes of a child that says this.
std::string said_by(const CollectRecord& record, const std::string& model) {
  CollectTask task;
  task.model = "models/" + model;
  return refusal_of([&] {
    run_collect_process({"/bin/sh", "-c", "cat > /dev/null; echo '" + to_json(record) + "'"}, task,
                        std::chrono::seconds(60), nullptr);
  });
}

TEST(CollectProcess, an_answer_of_another_model_or_round_is_refused) {
  EXPECT_EQ(said_by(record_of("a.onnx", 1, 5), "a.onnx"), "not refused");
  EXPECT_EQ(said_by(record_of("b.onnx", 1, 5), "a.onnx"),
            "collect's worker process answered for 'b.onnx' instead of 'models/a.onnx'");
  EXPECT_THAT(said_by(record_of("a.onnx", 2, 5), "a.onnx"), HasSubstr("collect's worker process answered for"));
}

/// Evaluates by a child that is never started.
std::string refusal_of_evaluation(std::atomic<bool>& stop) {
  EvaluateSettings settings;
  settings.models = {"a.onnx"};
  settings.stop = &stop;
  settings.child = {"/bin/false"};
  return refusal_of([&] { evaluate(Predictor(), settings); });
}

TEST(Evaluate, stops_before_a_model_is_run) {
  std::atomic<bool> stop = true;
  EXPECT_EQ(refusal_of_evaluation(stop), "stopped before every model was measured");
}

TEST(MeasureForCollection, of_a_runtime_that_saves_no_graph_is_refused) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), "openvino") == names.end()) GTEST_SKIP() << "no OpenVINO in this binary";
  const TestFolder folder;
  ModelBuilder b;
  b.output(b.node("Relu", {b.input("x", ElementType::f32, {4})}), ElementType::f32, {4});
  CollectTask task;
  task.model = folder.write("relu.onnx", b.serialize());
  task.runtime = "openvino";
  task.time = std::chrono::milliseconds(5);
  EXPECT_THAT(
      refusal_of([&] { measure_for_collection(task); }),
      HasSubstr("openvino does not save the graph that it executes, so its kernels cannot be timed one by one"));
}

}  // namespace
}  // namespace takt
