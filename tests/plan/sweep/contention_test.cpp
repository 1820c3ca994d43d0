#include "plan/sweep/contention.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "pipeline/contention/interference_file.h"
#include "plan/sweep/contention_bench.h"
#include "plan/sweep/contention_journal.h"
#include "plan/sweep/sharing_devices.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int levels = 2, rounds = 2;
constexpr ContentionShape shape{3, levels, rounds};

/// What answers so much to every load of compute, memory and cache at half and at full level.
AnswersToLoads answers(double half, double full, bool of_stage) {
  AnswersToLoads result;
  result.slow_downs.assign(3, {half, full});
  result.mixed = full;
  if (of_stage) result.load_lost.assign(3, full);
  return result;
}

ContentionRecord loads() {
  SingleRound round;
  round.answers.loads.assign(3, answers(1.3, 1.6, false));
  return {std::string(loads_block), "", "", {round, round}};
}

/// Presses on everything as a load at full level does.
ContentionRecord stage(const std::string& block, const std::string& device) {
  SingleRound round;
  round.alone = {5000};
  round.answers.stages = {answers(1.3, 1.6, true)};
  return {block, device, "", {round, round}};
}

/// Two real devices, each with two stages at three sizes.
SweepRecords two_devices() {
  SweepRecords sweep;
  sweep.configuration.machine = "a machine";
  for (const char* unit : {"GPU", "CPU"})
    for (const std::int64_t nodes : {30, 10, 20})
      for (const int number : {1, 2}) {
        StageRecord& record = sweep.records.emplace_back();
        record.asked = unit;
        record.row.key = {nodes, 2 * nodes, unit, number, number};
        record.row.runtime = "openvino";
        record.row.times = times_of({Nanoseconds(5000)});
      }
  return sweep;
}

class SweepContention : public testing::Test {
 protected:
  SweepContention() {
    std::filesystem::create_directories(folder_ / "results");
    settings_.folder = folder_.path();
    settings_.levels = levels, settings_.rounds = rounds;
    settings_.row_limit = std::chrono::seconds(60);
  }

  /// A child that knows the answers of these blocks; one that is asked for another begins to die.
  void child_knows(const std::vector<ContentionRecord>& records) {
    for (const ContentionRecord& record : records) {
      const std::string name =
          record.block == loads_block ? "loads" : record.block.substr(0, 3) + record.block.substr(4, 1);
      std::ofstream(folder_ / (name + ".json")) << to_json(record) << "\n";
    }
    // The task says its stages in their order: "first":1 … of "unit":"CPU".
    const std::string script =
        "task=$(cat); cd '" + folder_.path().string() +
        "'; unit=$(printf %s \"$task\" | sed 's/.*\"unit\":\"\\([A-Z]*\\)\".*/\\1/'); "
        "echo \"$task\" >> tasks; "
        "case $task in *'\"stages\":[]'*) cat loads.json || exit 3; exit 0;; esac; "
        "for n in $(printf %s \"$task\" | tr '{' '\\n' | sed -n 's/.*\"first\":\\([0-9]*\\).*/\\1/p'); do "
        "test -e $unit$n.json || { echo 'terminate called' >&2; kill -ABRT $$; }; cat $unit$n.json; done";
    settings_.child = {"/bin/sh", "-c", script};
  }

  int tasks() const {
    std::ifstream file(folder_ / "tasks");
    return static_cast<int>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }

  std::string refusal(const SweepRecords& sweep) {
    try {
      measure_contention(sweep, settings_);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TestFolder folder_;
  ContentionSettings settings_;
};

TEST_F(SweepContention, of_two_devices_is_that_of_pairs_on_different_units) {
  child_knows(
      {loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU"), stage("GPU[1]", "GPU"), stage("GPU[2]", "GPU")});
  const auto found = measure_contention(two_devices(), settings_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->size.nodes, 20) << "the middle one";
  EXPECT_THAT(found->shared, ElementsAre("compute", "memory", "cache"));
  EXPECT_THAT(found->report.stages, ElementsAre("CPU[1]", "CPU[2]", "GPU[1]", "GPU[2]"));
  EXPECT_EQ(found->report.pairs.size(), 8u);
  for (const PairRow& pair : found->report.pairs) {
    EXPECT_NE(pair.stage.substr(0, 3), pair.beside.substr(0, 3));
    EXPECT_GT(*pair.factor, 1.5);
    EXPECT_TRUE(pair.significant);
  }
  EXPECT_EQ(tasks(), 3) << "the loads, and a process for each device";
  const auto rows = parse_interference(contention_json(*found, {}), "interference.json");
  EXPECT_EQ(rows.size(), 8u);
  EXPECT_DOUBLE_EQ(*rows.front().factor, *found->report.pairs.front().factor);
  EXPECT_TRUE(parse_known_stages(contention_json(*found, {}), "interference.json"));
}

TEST_F(SweepContention, that_was_measured_is_not_measured_again) {
  child_knows(
      {loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU"), stage("GPU[1]", "GPU"), stage("GPU[2]", "GPU")});
  const auto first = measure_contention(two_devices(), settings_);
  settings_.child = {"/bin/sh", "-c", "exit 7"};
  // A size more would have another one in the middle; what is there keeps its own.
  SweepRecords more = two_devices();
  for (StageRecord record : std::vector(more.records)) {
    record.row.key.nodes *= 100;
    more.records.push_back(record);
  }
  const auto again = measure_contention(more, settings_);
  EXPECT_EQ(contention_json(*again, {}), contention_json(*first, {}));
}

TEST_F(SweepContention, goes_on_behind_a_line_that_was_cut_off) {
  child_knows(
      {loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU"), stage("GPU[1]", "GPU"), stage("GPU[2]", "GPU")});
  const auto whole = measure_contention(two_devices(), settings_);
  const auto journal = contention_journal(folder_.path(), Network::sage);
  const std::string text = read_file(journal);
  for (const std::size_t kept : {std::size_t{0}, std::size_t{40}, text.size() / 2, text.size() - 3}) {
    std::ofstream(journal) << text.substr(0, kept);
    EXPECT_EQ(contention_json(*measure_contention(two_devices(), settings_), {}), contention_json(*whole, {})) << kept;
    EXPECT_EQ(read_contention(journal)->records.size(), 5u);
  }
}

TEST_F(SweepContention, a_crash_costs_the_stage_it_was_at) {
  child_knows({loads(), stage("CPU[1]", "CPU"), stage("GPU[2]", "GPU")});
  const auto found = measure_contention(two_devices(), settings_);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->report.stages, ElementsAre("CPU[1]", "GPU[2]"));
  ASSERT_EQ(found->failed.size(), 2u);
  EXPECT_THAT(found->failed[0],
              testing::AllOf(HasSubstr("CPU[2]: "), HasSubstr("signal 6"), HasSubstr("terminate called")));
  EXPECT_EQ(found->report.pairs.size(), 2u);
  // It is tried again where that is wanted.
  child_knows(
      {loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU"), stage("GPU[1]", "GPU"), stage("GPU[2]", "GPU")});
  EXPECT_EQ(measure_contention(two_devices(), settings_)->failed.size(), 2u);
  settings_.retry = true;
  EXPECT_TRUE(measure_contention(two_devices(), settings_)->failed.empty());
}

TEST_F(SweepContention, without_loads_cannot_be_measured) {
  child_knows({stage("CPU[1]", "CPU")});
  EXPECT_THAT(refusal(two_devices()), HasSubstr("the loads under which stages run cannot be measured"));
}

TEST_F(SweepContention, of_one_device_is_measured_where_it_is_asked_for) {
  child_knows({loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU")});
  SweepRecords one = two_devices();
  std::erase_if(one.records, [](const StageRecord& record) { return record.asked == "GPU"; });
  EXPECT_FALSE(measure_contention(one, settings_));
  settings_.alone = true;
  const auto found = measure_contention(one, settings_);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->report.pressures.size(), 2u * 3);
  EXPECT_TRUE(found->report.pairs.empty());
  for (StageRecord& record : one.records) record.asked = "sim:CPU";  // which shares nothing
  EXPECT_THAT(refusal(one), HasSubstr("no two of its devices share a resource"));
}

TEST_F(SweepContention, of_another_way_is_not_mixed_in) {
  child_knows(
      {loads(), stage("CPU[1]", "CPU"), stage("CPU[2]", "CPU"), stage("GPU[1]", "GPU"), stage("GPU[2]", "GPU")});
  measure_contention(two_devices(), settings_);
  SweepRecords other = two_devices();
  other.configuration.machine = "another";
  EXPECT_THAT(refusal(other), HasSubstr("was measured with different settings (machine a machine instead of another)"));
  settings_.levels = 3;
  EXPECT_THAT(refusal(two_devices()), HasSubstr("levels 2 instead of 3"));
}

std::string record_refusal(const std::string& json) {
  try {
    parse_contention_record(json, shape, "file:2");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ContentionRecord, comes_back_from_its_line) {
  for (const ContentionRecord& record :
       {loads(), stage("GPU[2-4]", "sim:GPU"), ContentionRecord{"CPU[1]", "CPU", "why", {}}})
    EXPECT_EQ(to_json(parse_contention_record(to_json(record), shape, "x")), to_json(record));
}

TEST(ContentionRecord, that_is_none_is_refused_with_its_cause) {
  const std::string good = to_json(stage("CPU[1]", "CPU"));
  EXPECT_THAT(record_refusal("{"), HasSubstr("file:2"));
  EXPECT_THAT(record_refusal("{}"), HasSubstr("file:2: has no 'block'"));
  EXPECT_THAT(record_refusal(replaced(good, "5000.0", "-1")), HasSubstr("'alone_ns' is -1; give a number from 0.001"));
  EXPECT_THAT(record_refusal(replaced(good, "1.6", "0")), HasSubstr("0 is not a slowdown"));
  EXPECT_THAT(record_refusal(replaced(good, "[1.3,1.6]", "[1.3]")), HasSubstr("a load has 1 levels instead of 2"));
  EXPECT_THAT(record_refusal(replaced(good, "[1.3,1.6],", "")), HasSubstr("loads of 3 resources"));
  EXPECT_THAT(record_refusal(replaced(good, "\"reason\":\"\"", "\"reason\":\"why\"")),
              HasSubstr("do not match its reason"));
  EXPECT_THAT(record_refusal(replaced(good, "CPU[1]", "[loads]")), HasSubstr("a round has no stage"));
}

TEST(ContentionConfiguration, that_is_none_is_refused_with_its_cause) {
  const std::string good = R"({"takt_contention": 1, "network": "sage", "features": 4, "graph": "uniform", "seed": 1,
    "machine": "m", "resources": ["memory"], "levels": 3, "rounds": 2, "nodes": 5, "edges": 5})";
  const auto refused = [&](const std::string& from, const std::string& to) -> std::string {
    try {
      parse_contention_configuration(replaced(good, from, to), "file:1");
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("sage", "gcn"), "accepted");
  EXPECT_THAT(refused("takt_contention", "takt_sweep"), HasSubstr("file:1: is not a file of contention"));
  EXPECT_THAT(refused("\"takt_contention\": 1", "\"takt_contention\": 2"),
              HasSubstr("file:1: was written by a newer version of takt"));
  EXPECT_THAT(refused("sage", "cat"), HasSubstr("belongs to an unknown network"));
  EXPECT_THAT(refused("[\"memory\"]", "[]"), HasSubstr("the number of resources is 0, which is not within 1 to 8"));
}

TEST(ContentionTask, comes_back_from_its_json) {
  ContentionTask task;
  task.unit = "NPU", task.device = "sim:NPU", task.sharing = {"sim:GPU", "sim:NPU"};
  task.folder = "a b", task.features = 7, task.size = {3, 5}, task.graph = {"power-law", 9};
  task.stages = {{{Network::gat, 1, 4}, 30}, {{Network::gat, 7, 7}, 40}};
  task.levels = 4, task.rounds = 6, task.parent = 12;
  EXPECT_EQ(to_json(parse_contention_task(to_json(task))), to_json(task));
  EXPECT_THROW(parse_contention_task("{}"), Error);
  EXPECT_THROW(parse_contention_task(replaced(to_json(task), "\"gat\"", "\"cat\"")), Error);
  EXPECT_THROW(parse_contention_task(replaced(to_json(task), "\"last\":7", "\"last\":8")), Error);
}

constexpr ContentionShape of_one_resource{1, 5, 3};

/// In a folder with descriptions, which devices are found by.
class DescribedDevices : public testing::Test {
 protected:
  DescribedDevices() : before_(std::filesystem::current_path()) { std::filesystem::current_path(folder_.path()); }
  ~DescribedDevices() override { std::filesystem::current_path(before_); }
  static void describe(const std::string& name, const std::string& shares) {
    std::ofstream(name + ".yaml")
        << "peak_flops_per_s: 1e12\nbandwidth_bytes_per_s: 1e11\nunknown_op_ns: 1000\nshares: {" << shares << "}\n";
  }
  TestFolder folder_;
  std::filesystem::path before_;
};

TEST_F(DescribedDevices, share_what_two_of_them_name) {
  describe("a", "memory: {law: queue}, bus: {}");
  describe("b", "memory: {law: queue}, cache: {}");
  describe("c", "cache: {}");
  const auto shared = shared_by({"sim:a", "sim:b", "sim:c"});
  ASSERT_EQ(shared.size(), 2u);
  EXPECT_EQ(shared.at("memory"), PressureLaw::queue);
  EXPECT_EQ(shared.at("cache"), PressureLaw::linear);
  EXPECT_TRUE(shared_by({"sim:a", "sim:c"}).empty());
  describe("d", "memory: {law: cliff}");
  EXPECT_THROW(shared_by({"sim:a", "sim:d"}), Error);
}

TEST_F(DescribedDevices, are_measured_beside_simulated_loads) {
  describe("left", "memory: {law: linear, pressure: 0.5, sensitivity: 0.4}, own: {pressure: 1}");
  describe("right", "memory: {law: linear, pressure: 1, sensitivity: 0.2}");
  ContentionTask task;
  task.unit = "CPU", task.device = "sim:left", task.sharing = {"sim:left", "sim:right"};
  task.features = 8, task.size = {20, 40}, task.parent = ::getppid();
  task.stages = {{{Network::sage, 2, 3}, 50}};
  std::vector<std::string> lines;
  EXPECT_EQ(run_contention_task(to_json(task), {}, [&](const std::string& line) { lines.push_back(line); }), 0);
  ASSERT_EQ(lines.size(), 1u);
  const auto record = parse_contention_record(lines[0], of_one_resource, "line");
  EXPECT_EQ(record.reason, "");
  EXPECT_EQ(record.block, "CPU[2-3]");
  ASSERT_EQ(record.rounds.size(), 3u);
  const AnswersToLoads& answer = record.rounds[0].answers.stages[0];
  ASSERT_EQ(answer.slow_downs.size(), 1u);
  EXPECT_NEAR(answer.slow_downs[0].back(), 1.4, 1e-2);  // 1 + 0.4 · 1
  EXPECT_NEAR(answer.load_lost[0], 1.5, 1e-2);          // 1 + 1 · 0.5
  task.stages.clear();
  lines.clear();
  EXPECT_EQ(run_contention_task(to_json(task), {}, [&](const std::string& line) { lines.push_back(line); }), 0);
  const auto loads = parse_contention_record(lines.at(0), of_one_resource, "line");
  EXPECT_NEAR(loads.rounds[0].answers.loads[0].slow_downs[0].back(), 2, 1e-3);
}

TEST_F(DescribedDevices, that_refuse_a_stage_say_why) {
  describe("left", "memory: {pressure: 1, sensitivity: 1}");
  std::ofstream("left.yaml", std::ios::app) << "unsupported_ops: [ScatterElements]\n";
  describe("right", "memory: {pressure: 1, sensitivity: 1}");
  ContentionTask task;
  task.unit = "CPU", task.device = "sim:left", task.sharing = {"sim:left", "sim:right"};
  task.features = 8, task.size = {20, 40}, task.parent = ::getppid();
  task.stages = {{{Network::sage, 3, 3}, 50}, {{Network::sage, 6, 6}, 50}};
  std::vector<std::string> lines;
  EXPECT_EQ(run_contention_task(to_json(task), {}, [&](const std::string& line) { lines.push_back(line); }), 1);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_THAT(parse_contention_record(lines[0], of_one_resource, "line").reason, HasSubstr("ScatterElements"));
  EXPECT_EQ(parse_contention_record(lines[1], of_one_resource, "line").reason, "");
}

}  // namespace
}  // namespace takt
