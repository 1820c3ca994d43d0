// A collection from its journal to its dataset, and how its measurements follow each other.
#include "predict/collect/collect.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/peaks_file.h"
#include "base/system/provenance.h"
#include "predict/answer/predict_words.h"
#include "predict/collect/journal.h"
#include "predict/collect/record.h"
#include "refused.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

const CollectConfiguration some_configuration{"a machine", "a runtime", "a device", 3, 4e6, 5e6, {6e9, 7e9}};

CollectRecord round_of(const std::string& model, int round, double us, CollectStatus status = CollectStatus::measured) {
  CollectRecord record;
  record.model = model, record.round = round, record.status = status, record.latency_us = us;
  record.architecture = "arch " + model, record.family = "family " + model;
  record.runtime_version = "version " + std::to_string(round);
  record.takt_version = "takt " + std::to_string(round), record.measured_at = "day " + std::to_string(round);
  return record;
}

TEST(Collection, a_model_is_the_middle_of_its_rounds_and_the_rest_is_told_of_the_first) {
  CollectJournal journal{some_configuration, {}, {"damaged"}};
  const double us[] = {3000, 1000, 2000};
  for (int round = 1; round <= 3; ++round) {
    CollectRecord record = round_of("m.onnx", round, us[round - 1]);
    record.io_bytes = 10 * round;
    record.load.others_busy = 0.1 * round, record.load.steal = 0.01 * round;
    if (round < 3) record.load.run_delay = round;
    record.load.seen = {{"cpu_busy_share", 0.25 * round}};
    if (round == 2) record.load.seen.emplace("probe_wait_ratio", 7);
    record.kernels.push_back({kernel("Conv", KernelGroup::conv, 100, 10), "first", 100.0 * round});
    record.kernels.push_back({kernel("Add", KernelGroup::other, 1, 10), "second", 700 - 100.0 * round * round});
    journal.records.push_back(std::move(record));
  }
  const Collection collection = collection_of(journal);
  EXPECT_EQ(collection.damage, std::vector<std::string>{"damaged"});
  ASSERT_EQ(collection.dataset.models.size(), 1u);
  const CollectedModel& model = collection.dataset.models[0];
  EXPECT_EQ(model.model, "m.onnx");
  EXPECT_EQ(model.architecture, "arch m.onnx");
  EXPECT_EQ(model.family, "family m.onnx");
  EXPECT_EQ(model.runtime, "a runtime");
  EXPECT_EQ(model.runtime_version, "version 1");
  EXPECT_EQ(model.device, "a device");
  EXPECT_EQ(model.machine, "a machine");
  EXPECT_EQ(model.takt_version, "takt 1");
  EXPECT_EQ(model.measured_at, "day 1");
  EXPECT_EQ(model.threads, 3);
  EXPECT_EQ(model.rounds, 3);
  EXPECT_EQ(model.constants, (MachineConstants{6e9, 7e9}));
  EXPECT_EQ(model.io_bytes, 10);
  EXPECT_DOUBLE_EQ(model.latency_ms, 2);
  EXPECT_DOUBLE_EQ(*model.noise, (1.0 + 0.6 + 0) / 3);  // 3 by 1.5, 1 by 2.5, 2 by 2
  EXPECT_DOUBLE_EQ(*model.load.others_busy, 0.2);
  EXPECT_DOUBLE_EQ(*model.load.steal, 0.02);
  EXPECT_DOUBLE_EQ(*model.load.run_delay, 1.5) << "of the rounds that tell it";
  EXPECT_EQ(model.load.canary, std::nullopt);
  EXPECT_EQ(model.load.seen, (SeenLoad{{"cpu_busy_share", 0.5}})) << "what every round has seen";
  ASSERT_EQ(model.kernels.size(), 2u);
  EXPECT_EQ(model.kernels[0].kernel, "first");
  EXPECT_EQ(model.kernels[0].facts.op_type, "Conv");
  EXPECT_DOUBLE_EQ(model.kernels[0].latency_ms, 0.2);
  EXPECT_DOUBLE_EQ(*model.kernels[0].noise, (0.6 + 0 + 1.0) / 3);
  EXPECT_DOUBLE_EQ(model.kernels[1].latency_ms, 0.3) << "of 600, 300 and -200";
  ASSERT_EQ(collection.rows.size(), 1u);
  EXPECT_EQ(collection.rows[0].latency_ms, model.latency_ms);
  EXPECT_EQ(collection.rows[0].noise, model.noise);
  EXPECT_EQ(collection.rows[0].kernels, 2u);
}

TEST(Collection, rows_count_what_became_of_each_model_beside_each_load) {
  CollectJournal journal{some_configuration, {}, {}};
  journal.records = {round_of("b.onnx", 1, 2000),
                     round_of("b.onnx", 2, 9000, CollectStatus::disturbed),
                     round_of("b.onnx", 2, 9000, CollectStatus::disturbed),
                     round_of("a.onnx", 1, 0, CollectStatus::failed),
                     round_of("b.onnx", 1, 5000),
                     round_of("a.onnx", 2, 0, CollectStatus::failed)};
  journal.records[3].reason = "early", journal.records[5].reason = "late";
  journal.records[4].load.asked = {"memory", 0.6, 2};
  journal.records[4].canary = CanaryTimes{1, 1}, journal.records[0].canary = CanaryTimes{300, 100};
  const Collection collection = collection_of(journal);
  std::string words;
  for (const CollectedRow& row : collection.rows)
    words += fmt::format("{}|{}|{} {} {}|{}|{}\n", row.model, row.load, row.measured, row.disturbed, row.failed,
                         row.latency_ms.value_or(-1), row.reason);
  EXPECT_EQ(words, "a.onnx||0 0 2|-1|late\nb.onnx||1 2 0|2|\nb.onnx|memory 60% x 2|1 0 0|5|\n");
  ASSERT_EQ(collection.dataset.models.size(), 2u);
  EXPECT_EQ(collection.dataset.models[0].load.canary, 1) << "the usual pace";
  EXPECT_EQ(collection.dataset.models[1].load.asked, (AskedLoad{"memory", 0.6, 2}));
  EXPECT_EQ(collection.dataset.models[0].noise, std::nullopt) << "of one round";
}

/// Measures with a child that answers like a measurement, and notes what it was asked for.
class Measuring {
 public:
  Measuring() {
    const char* const before = std::getenv("TAKT_CACHE_DIR");
    kept_ = before ? before : "";
    ::setenv("TAKT_CACHE_DIR", folder_.path().c_str(), 1);
    Peaks peaks;  // that need not be measured
    peaks.reads_with = "x";
    peaks.compute = {{NumberType::f32, "a", {{30, 1}, {50, 1}}}};
    peaks.levels = {{"DRAM", {}, {}, {{4, 1}, {9, 1}}, {{5, 1}, {8, 1}}}};
    save_peaks(peaks, detect_machine_class(), make_provenance({"takt"}));
    settings.models = {"models/a.onnx", "models/b.onnx"};
    settings.out = folder_ / "d.csv";
    settings.progress = [this](std::uint64_t done, std::uint64_t total) { told.emplace_back(done, total); };
  }
  ~Measuring() { kept_.empty() ? ::unsetenv("TAKT_CACHE_DIR") : ::setenv("TAKT_CACHE_DIR", kept_.c_str(), 1); }
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;

  /// The answer of the child; the model's name and the round are those that it is asked for.
  void answers(CollectRecord record) {
    record.model = "MODEL", record.round = 987654;
    const std::string answer = folder_.write("answer", to_json(record) + "\n").string();
    settings.child = {"/bin/sh", "-c",
                      "read -r task; echo \"$task\" >> " + (folder_ / "asked").string() +
                          "; m=$(echo \"$task\" | sed 's/.*models.\\([ab].onnx\\).*/\\1/'); "
                          "r=$(echo \"$task\" | sed 's/.*\"round\":\\([0-9]*\\).*/\\1/'); "
                          "sed \"s/MODEL/$m/; s/987654/$r/\" " +
                          answer};
  }
  std::vector<CollectTask> asked() const {
    std::vector<CollectTask> tasks;
    for (const std::string& line : split(read_file(folder_ / "asked"), '\n'))
      if (!line.empty()) tasks.push_back(parse_collect_task(line));
    return tasks;
  }

  CollectSettings settings;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;

 private:
  TestFolder folder_;
  std::string kept_;
};

using Tellings = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

TEST(Collection, every_model_is_measured_once_a_round_and_never_again) {
  Measuring measuring;
  measuring.settings.rounds = 2, measuring.settings.threads = 3, measuring.settings.seed = 9;
  measuring.settings.time = Duration(1234);
  measuring.answers(round_of("", 0, 2000));
  const Collection first = collect(measuring.settings);
  EXPECT_EQ(measuring.told, (Tellings{{1, 4}, {2, 4}, {3, 4}, {4, 4}}));
  const auto asked = measuring.asked();
  ASSERT_EQ(asked.size(), 4u);
  std::vector<std::string> places;
  for (const CollectTask& task : asked) {
    EXPECT_EQ(task.threads, 3);
    EXPECT_EQ(task.seed, 9u);
    EXPECT_EQ(task.time, Duration(1234));
    EXPECT_EQ(task.runtime + " " + task.device, "onnxruntime CPU");
    EXPECT_TRUE(task.with_kernels);
    EXPECT_FALSE(task.waits);
    places.push_back(std::to_string(task.round) + " " + task.model.string());
  }
  std::sort(places.begin(), places.end());
  EXPECT_EQ(places,
            (std::vector<std::string>{"1 models/a.onnx", "1 models/b.onnx", "2 models/a.onnx", "2 models/b.onnx"}));
  ASSERT_EQ(first.dataset.models.size(), 2u);
  EXPECT_EQ(first.dataset.models[1].rounds, 2);
  EXPECT_EQ(first.dataset.models[1].constants, (MachineConstants{50, 9}));
  measuring.told.clear();
  collect(measuring.settings);
  EXPECT_EQ(measuring.told, (Tellings{{1, 4}, {2, 4}, {3, 4}, {4, 4}}));
  EXPECT_EQ(measuring.asked().size(), 4u) << "all was there";
  measuring.settings.threads = 2;
  EXPECT_TRUE(
      refused_with([&] { collect(measuring.settings); })
          .ends_with("d.csv.jsonl: was measured with different settings (threads 3 instead of 2); give another file "
                     "with -o, or the same settings and machine class"));
}

/// How often a model is measured in one round whose answer is this, and what its row says.
std::string attempts(const CollectRecord& answer, int retries) {
  Measuring measuring;
  measuring.settings.models.resize(1), measuring.settings.rounds = 1, measuring.settings.retries = retries;
  measuring.answers(answer);
  const auto rows = collect(measuring.settings).rows;
  return fmt::format("{}: {} {} {}", measuring.asked().size(), rows.at(0).measured, rows[0].disturbed, rows[0].failed);
}

TEST(Collection, what_waited_for_longer_than_it_may_is_measured_again) {
  CollectRecord answer = round_of("", 0, 2000);
  answer.load.run_delay = 0.05;
  EXPECT_EQ(attempts(answer, 2), "1: 1 0 0") << "as long as it may";
  answer.load.run_delay = 0.0501;
  EXPECT_EQ(attempts(answer, 2), "3: 0 3 0");
  EXPECT_EQ(attempts(answer, 0), "1: 0 1 0");
  answer.status = CollectStatus::failed;
  EXPECT_EQ(attempts(answer, 2), "1: 0 0 1") << "it would fail again";
}

TEST(Collection, asks_nothing_when_it_is_stopped) {
  Measuring measuring;
  measuring.answers(round_of("", 0, 2000));
  const std::atomic<bool> stop{true};
  measuring.settings.stop = &stop;
  try {
    collect(measuring.settings);
    ADD_FAILURE() << "it went on";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stopped; the same command resumes the collection");
  }
}

TEST(CollectConfiguration, says_in_which_way_another_one_differs) {
  CollectConfiguration other{"b machine", "b runtime", "b device", 13, 14e6, 15e6, {16e9, 17e9}};
  EXPECT_EQ(difference(some_configuration, other),
            "machine a machine instead of b machine, runtime a runtime instead of b runtime, device a device instead "
            "of b device, threads 3 instead of 13, time in us 4000000 instead of 14000000, time under load in us "
            "5000000 instead of 15000000");
  other = some_configuration, other.constants = {1, 2};
  EXPECT_EQ(difference(some_configuration, other), "") << "peaks are measured anew each time";
  EXPECT_EQ(to_json(some_configuration),
            R"({"bytes_per_s":7000000000.0,"device":"a device","flops_per_s":6000000000.0,"loaded_time_us":5000000.0,)"
            R"("machine":"a machine","runtime":"a runtime","takt_collect":1,"threads":3,"time_us":4000000.0})");
}

TEST(CollectConfiguration, comes_back_from_its_journal_up_to_its_borders) {
  const TestFolder folder;
  const auto out = folder / "d.csv";
  const auto read = [&](const std::string& line) {
    folder.write("d.csv.jsonl", line + "\n");
    try {
      return to_json(read_collect_journals(out)->configuration);
    } catch (const Error& error) {
      return std::string(error.what()).substr(out.string().size() + std::string(".jsonl:1: ").size());
    }
  };
  const std::string good = to_json(some_configuration);
  EXPECT_EQ(read(good), good);
  const auto with = [&](const std::string& key, const std::string& value) {
    const auto begin = good.find("\"" + key + "\":") + key.size() + 3;
    std::string changed = good;
    return changed.replace(begin, good.find_first_of(",}", begin) - begin, value);
  };
  for (const auto& [key, least, below, most, above] : {std::tuple("threads", "0", "-1", "1000000", "1000001"),
                                                       {"time_us", "0.0", "-0.5", "1e+15", "1.1e15"},
                                                       {"loaded_time_us", "0.0", "-0.5", "1e+15", "1.1e15"},
                                                       {"flops_per_s", "1.0", "0.5", "1e+30", "1.1e30"},
                                                       {"bytes_per_s", "1.0", "0.5", "1e+30", "1.1e30"}}) {
    EXPECT_EQ(read(with(key, least)), with(key, least));
    EXPECT_EQ(read(with(key, most)), with(key, most));
    for (const char* beyond : {below, above})
      EXPECT_TRUE(read(with(key, beyond)).starts_with("'" + std::string(key) + "' is ")) << key << " " << beyond;
  }
  EXPECT_EQ(read(with("takt_collect", "2")), "was written by a newer version of takt; read it with that version");
  EXPECT_EQ(collect_journal_path("d.csv", {1, 1}), "d.csv.jsonl");
  EXPECT_EQ(collect_journal_path("d.csv", {2, 4}), "d.csv.2-of-4.jsonl");
}

TEST(CollectTask, comes_back_with_every_number_in_its_place) {
  const CollectTask task{.model = "a/m.onnx",
                         .runtime = "r",
                         .device = "d",
                         .threads = 3,
                         .time = Duration(4.5),
                         .with_kernels = false,
                         .seed = 6,
                         .round = 7,
                         .parent = 8,
                         .waits = true};
  EXPECT_EQ(to_json(task),
            R"({"device":"d","model":"a/m.onnx","parent":8,"round":7,"runtime":"r","seed":6,"threads":3,)"
            R"("time_us":4.5,"waits":true,"with_kernels":false})");
  EXPECT_EQ(to_json(parse_collect_task(to_json(task))), to_json(task));
}

TEST(CollectRecord, comes_back_with_every_figure_in_its_place) {
  CollectRecord record = round_of("m.onnx", 3, 40);
  record.status = CollectStatus::disturbed, record.reason = "why";
  record.io_bytes = 50, record.canary = CanaryTimes{60, 70};
  record.load.others_busy = 0.1, record.load.run_delay = 0.2, record.load.steal = 0.3;
  record.load.asked = {"cache", 0.4, 5}, record.load.seen = {{"probe_wait_ratio", 0.5}, {"cpu_busy_share", 0.6}};
  KernelFacts facts;
  facts.id = "id", facts.op_type = "op", facts.layout = "layout", facts.number_type = "number",
  facts.input_shape = "shape";
  facts.group = KernelGroup::pool;
  for (std::size_t i = 0; i < feature_count; ++i) facts.features.push_back(static_cast<double>(i) + 0.5);
  record.kernels.push_back({facts, "node", 80});
  const std::string line = to_json(record);
  EXPECT_EQ(line.substr(0, line.find("0.5,1.5,")),
            R"({"architecture":"arch m.onnx","canary_us":[60.0,70.0],"family":"family m.onnx","io_bytes":50.0,)"
            R"("kernels":[["node",80.0,"id","op","layout","number","shape","pool",[)");
  EXPECT_EQ(
      line.substr(line.find("]]],") + 4),
      R"("latency_us":40.0,"measured_at":"day 3","model":"m.onnx","others_busy":0.1,"reason":"why","round":3,)"
      R"("run_delay":0.2,"runtime_version":"version 3","seen":{"cpu_busy_share":0.6,"probe_wait_ratio":0.5},)"
      R"("status":"disturbed","steal":0.3,"stress":{"kind":"cache","level":0.4,"threads":5},"takt_version":"takt 3"})");
  EXPECT_EQ(to_json(parse_collect_record(line, "x:1")), line);
}

TEST(CollectRecord, numbers_are_taken_up_to_their_borders) {
  CollectRecord record = round_of("m.onnx", 3, 40);
  record.load.asked = {"cache", 0.4, 5};
  const std::string good = to_json(record);
  const auto told = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    EXPECT_NE(text.find(from), text.npos) << from;
    text.replace(text.find(from), from.size(), to);
    try {
      parse_collect_record(text, "x:1");
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const std::string level = R"("level":0.4)", threads = R"("threads":5)", round = R"("round":3)";
  EXPECT_EQ(told(level, R"("level":1)"), "accepted");
  EXPECT_EQ(told(level, R"("level":1.01)"), "x:1: 'stress': 'level' is 1.01; give a number from 0 to 1");
  EXPECT_EQ(told(level, R"("level":0)"), "x:1: 'stress': has an invalid load");
  EXPECT_EQ(told(threads, R"("threads":1)"), "accepted");
  EXPECT_EQ(told(threads, R"("threads":4096)"), "accepted");
  EXPECT_EQ(told(threads, R"("threads":0)"), "x:1: 'stress': 'threads' is 0; give a whole number from 1 to 4096");
  EXPECT_EQ(told(threads, R"("threads":4097)"), "x:1: 'stress': 'threads' is 4097; give a whole number from 1 to 4096");
  EXPECT_EQ(told(round, R"("round":0)"), "accepted");
  EXPECT_EQ(told(round, R"("round":1000000)"), "accepted");
  EXPECT_EQ(told(round, R"("round":1000001)"), "x:1: 'round' is 1000001; give a whole number from 0 to 1000000");
  EXPECT_EQ(told(R"("io_bytes":null)", R"("io_bytes":1e18)"), "accepted");
  EXPECT_NE(told(R"("io_bytes":null)", R"("io_bytes":1.1e18)"), "accepted");
  EXPECT_EQ(told(R"("steal":null)", R"("steal":1e18)"), "accepted");
  EXPECT_NE(told(R"("run_delay":null)", R"("run_delay":1.1e18)"), "accepted");
  EXPECT_EQ(told(R"("latency_us":40.0)", R"("latency_us":1e15)"), "accepted");
  EXPECT_EQ(told(R"("canary_us":null)", R"("canary_us":[0,1])"), "x:1: has a canary without a time");
  EXPECT_EQ(told(R"("status":"measured")", R"("status":"failed")"), "accepted");
  EXPECT_EQ(told(R"("takt_version":"takt 3")", R"("takt_version":3)"), "x:1: 'takt_version' is 3; give a string");
}

TEST(CollectConfig, numbers_are_taken_up_to_their_borders) {
  const auto told = [](const std::string& line) {
    try {
      parse_collect_config("models: zoo\n" + line + "\n", "c.yaml");
      return std::string("accepted");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  struct Border {
    const char *key, *least, *below, *most, *above, *range;
  };
  for (const Border& one : {Border{"rounds", "1", "0", "1000", "1001", "1 to 1000"},
                            {"threads", "1", "0", "4096", "4097", "1 to 4096"},
                            {"retries", "0", "-1", "1000", "1001", "0 to 1000"},
                            {"seed", "0", "-1", "9007199254740992", "9007199254740993", "0 to 9007199254740992"},
                            {"run_delay", "0", "-0.1", "1000000", "1000001", "0 to 1e+06"},
                            {"canary", "1", "0.9", "1000000", "1000001", "1 to 1e+06"},
                            {"time", "1ms", "999us", "1h", "3600001ms", "1.00 ms to 3600 s"}}) {
    const std::string key = one.key;
    EXPECT_EQ(told(key + ": " + one.least), "accepted") << key;
    EXPECT_EQ(told(key + ": " + one.most), "accepted") << key;
    for (const char* beyond : {one.below, one.above}) {
      const std::string says = told(key + ": " + beyond);
      EXPECT_TRUE(says.starts_with("c.yaml:2: " + key + ": ") &&
                  says.ends_with(" is out of range; use " + std::string(one.range)))
          << says;
    }
  }
  for (const char* stress : {"levels: 0.01", "levels: [1]", "threads: 1", "threads: 1024", "per_model: 0",
                             "per_model: 1000", "time: 1ms", "time: 1h", "kinds: [compute, memory, cache]"})
    EXPECT_EQ(told("stress: {" + std::string(stress) + "}"), "accepted") << stress;
  for (const char* stress : {"levels: 0.009", "levels: 1.01", "threads: 0", "threads: 1025", "per_model: -1",
                             "per_model: 1001", "time: 999us", "time: 3600001ms"})
    EXPECT_NE(told("stress: {" + std::string(stress) + "}").find(" is out of range; use "), std::string::npos)
        << stress;
  EXPECT_EQ(told("stress: {kinds: [disk]}"), "c.yaml:2: stress.kinds: is not a load; use compute, memory or cache");
  EXPECT_EQ(told("stress: {threads: []}"),
            "c.yaml:2: stress.threads: is an empty list; omit the key, or give an entry");
}

TEST(CollectConfig, that_is_too_large_is_called_by_its_name) {
  try {
    parse_collect_config("#" + std::string(1 << 20, 'x'), "c.yaml");
    ADD_FAILURE() << "taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "c.yaml: larger than 1 MiB, so not a collection");
  }
}

TEST(CollectConfig, without_a_word_is_this) {
  const CollectSettings settings;
  EXPECT_EQ(settings.runtime + " " + settings.device, "onnxruntime CPU");
  EXPECT_EQ(settings.threads, 1);
  EXPECT_EQ(settings.rounds, 3);
  EXPECT_EQ(settings.time, Duration(1e6));
  EXPECT_EQ(settings.most_run_delay, 0.05);
  EXPECT_EQ(settings.most_canary, 1.5);
  EXPECT_EQ(settings.retries, 2);
  EXPECT_EQ(settings.seed, 1u);
  EXPECT_EQ(settings.limit, 10min);
  EXPECT_EQ(settings.load.window, 250ms);
  EXPECT_EQ(settings.load.probe.time, 1s);
  const CollectSettings other = parse_collect_config(
      "models: [a]\nruntime: r\ndevice: d\ncanary: 2.5\nretries: 4\nseed: 5\nload: {window: 7ms}\n", "c.yaml");
  EXPECT_EQ(other.runtime + " " + other.device, "r d");
  EXPECT_EQ(other.most_canary, 2.5);
  EXPECT_EQ(other.retries, 4);
  EXPECT_EQ(other.seed, 5u);
  EXPECT_EQ(other.load.window, 7ms);
  EXPECT_EQ(other.load.probe.time, 1s) << "as a collection looks";
}

TEST(StressPlan, is_every_kind_at_every_level_with_one_and_two_threads_for_each_processor) {
  StressPlan plan;
  EXPECT_EQ(plan.kinds, (std::vector<std::string>{"compute", "memory", "cache"}));
  EXPECT_EQ(plan.levels, (std::vector<double>{0.3, 0.6, 0.9}));
  EXPECT_EQ(plan.per_model, 0);
  EXPECT_EQ(plan.time, Duration(2e6));
  EXPECT_EQ(plan.loads_of(0, 1).size(), 18u);
  plan.kinds = {"memory", "cache"}, plan.levels = {0.25, 0.5}, plan.threads = {3, 4};
  std::string words;
  for (const AskedLoad& load : plan.loads_of(5, 1)) words += to_string(load) + "\n";
  EXPECT_EQ(words,
            "memory 25% x 3\nmemory 25% x 4\nmemory 50% x 3\nmemory 50% x 4\n"
            "cache 25% x 3\ncache 25% x 4\ncache 50% x 3\ncache 50% x 4\n");
  plan.per_model = 8;
  EXPECT_EQ(plan.loads_of(5, 1).front(), (AskedLoad{"memory", 0.25, 3})) << "all of them need no draw";
  plan.per_model = 7;
  EXPECT_EQ(plan.loads_of(5, 1).size(), 7u);
  EXPECT_NE(plan.loads_of(5, 1), plan.loads_of(6, 1));
  EXPECT_NE(plan.loads_of(5, 1), plan.loads_of(5, 2));
  EXPECT_EQ(plan.loads_of(5, 2), plan.loads_of(5, 2));
}

TEST(AskedLoad, becomes_a_task_of_its_kind) {
  for (const char* kind : {"compute", "memory", "cache"}) {
    const StressTask task = stress_task_of({kind, 0.25, 3}, 7s);
    EXPECT_EQ(task.processors.compute, kind == std::string("compute") ? 0.25 : 0);
    EXPECT_EQ(task.processors.memory, kind == std::string("memory") ? 0.25 : 0);
    EXPECT_EQ(task.processors.cache, kind == std::string("cache") ? 0.25 : 0);
    EXPECT_EQ(task.threads, 3);
    EXPECT_EQ(task.duration, 7s);
    EXPECT_TRUE(is_stress_kind(kind));
  }
  EXPECT_FALSE(is_stress_kind("disk"));
  EXPECT_EQ(to_string(AskedLoad{}), "");
  EXPECT_EQ(to_string(AskedLoad{"cache", 0.256, 1}), "cache 26% x 1");
}

TEST(SeenLoad, is_what_is_live_of_the_host_and_of_the_first_gpu) {
  LoadSnapshot snapshot;
  const auto add = [&](const char* name, const char* device, double value, const char* trouble = "") {
    LoadReading reading = reading_of(name, device, "probe");
    reading.value = value, reading.trouble = trouble;
    snapshot.readings.push_back(reading);
  };
  double next = 0;
  for (const char* name :
       {"probe_wait_ratio", "probe_fair_wait_ratio", "probe_compute_flops", "probe_memory_bytes_per_s",
        "cpu_busy_share", "cpu_pressure_share", "run_delay_share", "probe_wait_trend"})
    add(name, "elsewhere", 99), add(name, "host", ++next);
  for (const char* name : {"gpu_sm_active_share", "gpu_dram_active_share", "gpu_sm_clock_hertz"})
    add(name, "gpu0", 98, "stale"), add(name, "gpu1", ++next), add(name, "gpu2", 97);
  add("load_average", "host", 96);
  EXPECT_EQ(seen_in(snapshot), (SeenLoad{{"probe_wait_ratio", 1},
                                         {"probe_fair_wait_ratio", 2},
                                         {"probe_compute_flops", 3},
                                         {"probe_memory_bytes_per_s", 4},
                                         {"cpu_busy_share", 5},
                                         {"cpu_pressure_share", 6},
                                         {"run_delay_share", 7},
                                         {"probe_wait_trend", 8},
                                         {"gpu_sm_active_share", 9},
                                         {"gpu_dram_active_share", 10},
                                         {"gpu_sm_clock_hertz", 11}}));
}

}  // namespace
}  // namespace takt
