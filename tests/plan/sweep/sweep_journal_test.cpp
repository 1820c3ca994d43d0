#include "plan/sweep/journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "test_folder.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

SweepConfiguration usual() { return {4, 1, 2, {}, "a machine"}; }

StageRecord record_of(std::int64_t nodes, const std::string& unit, Nanoseconds time, Network network = Network::sage) {
  StageRecord record{network, unit, {}};
  record.row.key = {nodes, 2 * nodes, unit, 1, 1};
  record.row.runtime = "openvino", record.row.device = unit;
  record.row.times = times_of({time});
  return record;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class SweepJournals : public testing::Test {
 protected:
  void append(const StageRecord& record, const Shard& shard = {}) {
    SweepJournal(folder_.path(), usual(), shard).append(to_json(record));
  }
  std::vector<std::string> keys(Network network = Network::sage) {
    std::vector<std::string> found;
    for (const auto& row : measurements_of(*read_sweep(folder_.path()), network).rows)
      found.push_back(to_string(row.key));
    return found;
  }

  TestFolder folder_;
};

TEST_F(SweepJournals, rows_come_back_in_order_and_by_network) {
  EXPECT_FALSE(read_sweep(folder_.path()));
  append(record_of(20, "CPU", 5ns));
  append(record_of(10, "NPU", 5ns));
  append(record_of(10, "CPU", 5ns));
  append(record_of(10, "CPU", 5ns, Network::gat));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1", "10,20,NPU,1", "20,40,CPU,1"));
  EXPECT_THAT(keys(Network::gat), testing::ElementsAre("10,20,CPU,1"));
  EXPECT_EQ(read_sweep(folder_.path())->configuration.features, 4);
}

TEST_F(SweepJournals, shards_count_together_and_of_two_rows_the_last) {
  append(record_of(10, "CPU", 5ns), {1, 2});
  append(record_of(20, "CPU", 5ns), {2, 2});
  append(record_of(10, "CPU", 7ns), {1, 2});
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1", "20,40,CPU,1"));
  EXPECT_EQ(read_sweep(folder_.path())->records.front().row.times->samples.front(), 7ns);
}

TEST_F(SweepJournals, what_was_measured_in_another_way_is_not_mixed_in_and_not_touched) {
  append(record_of(10, "CPU", 5ns));
  const auto file = folder_ / "results/measurements.jsonl";
  const std::string before = read_file(file);
  SweepConfiguration other = usual();
  other.iterations = 9, other.machine = "another";
  EXPECT_THAT(message_of([&] { SweepJournal(folder_.path(), other, {}); }),
              testing::AllOf(testing::HasSubstr("iterations 2 instead of 9"), testing::HasSubstr("--out"),
                             testing::HasSubstr("machine a machine instead of another")));
  EXPECT_NE(message_of([&] { SweepJournal(folder_.path(), other, {2, 2}); }), "");
  EXPECT_EQ(read_file(file), before);
  EXPECT_THAT(keys(), testing::SizeIs(1));
}

TEST_F(SweepJournals, one_whose_rows_an_older_takt_timed_is_read_and_not_gone_on_with) {
  append(record_of(10, "CPU", 5ns));
  const auto file = folder_ / "results/measurements.jsonl";
  std::string text = read_file(file);
  const std::string now = fmt::format("\"timing\":{},", stage_timing);
  const auto place = text.find(now);
  ASSERT_NE(place, std::string::npos);
  folder_.write("results/measurements.jsonl", text.erase(place, now.size()));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1"));
  EXPECT_THAT(message_of([&] { SweepJournal(folder_.path(), usual(), {}); }),
              testing::HasSubstr("timing 1 instead of"));
  EXPECT_EQ(read_file(file), text);
}

TEST_F(SweepJournals, a_row_that_was_being_written_is_not_there_and_spoils_nothing) {
  append(record_of(10, "CPU", 5ns));
  const auto file = folder_ / "results/measurements.jsonl";
  const std::string whole = read_file(file);
  append(record_of(20, "CPU", 5ns));
  const std::string both = read_file(file);
  for (std::size_t length = whole.size(); length + 1 < both.size(); length += 7) {
    folder_.write("results/measurements.jsonl", both.substr(0, length));
    EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1")) << length;
  }
  append(record_of(30, "CPU", 5ns));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1", "30,60,CPU,1"));
}

TEST_F(SweepJournals, a_damaged_row_is_told_and_measured_again_and_those_behind_it_count) {
  for (const std::int64_t nodes : {10, 20, 30}) append(record_of(nodes, "CPU", 5ns));
  std::string text = read_file(folder_ / "results/measurements.jsonl");
  const auto place = text.find("20,40,CPU");
  ASSERT_NE(place, text.npos);
  folder_.write("results/measurements.jsonl", text.replace(place - 6, 8, std::string(8, '\x01')));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1", "30,60,CPU,1"));
  EXPECT_THAT(read_sweep(folder_.path())->damage,
              testing::ElementsAre(testing::HasSubstr("measurements.jsonl: line 3 is damaged")));
  append(record_of(20, "CPU", 7ns));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1", "20,40,CPU,1", "30,60,CPU,1"));
}

TEST_F(SweepJournals, a_power_cut_costs_the_last_row_and_no_more) {
  append(record_of(10, "CPU", 5ns));
  const auto file = folder_ / "results/measurements.jsonl";
  const std::string whole = read_file(file);
  folder_.write("results/measurements.jsonl", whole + std::string(3000, '\0'));
  EXPECT_THAT(keys(), testing::ElementsAre("10,20,CPU,1"));
  EXPECT_TRUE(read_sweep(folder_.path())->damage.empty());
  append(record_of(20, "CPU", 5ns));
  EXPECT_EQ(read_file(file), whole + to_json(record_of(20, "CPU", 5ns)) + "\n");
}

TEST_F(SweepJournals, one_whose_first_line_says_what_cannot_be_is_refused_with_the_key) {
  append(record_of(10, "CPU", 5ns));
  const std::string whole = read_file(folder_ / "results/measurements.jsonl");
  for (const auto& [from, to] :
       {std::pair("\"iterations\":2", "\"iterations\":0"), std::pair("\"rounds\":1", "\"rounds\":4294967297"),
        std::pair("\"features\":4", "\"features\":1e300")}) {
    std::string text = whole;
    ASSERT_NE(text.find(from), text.npos) << from;
    folder_.write("results/measurements.jsonl", text.replace(text.find(from), std::string(from).size(), to));
    const std::string key = "measurements.jsonl:1: '" + std::string(from).substr(1, std::string(from).find(':') - 2);
    EXPECT_THAT(message_of([&] { read_sweep(folder_.path()); }), testing::HasSubstr(key));
  }
}

TEST_F(SweepJournals, one_of_a_newer_takt_is_refused) {
  append(record_of(10, "CPU", 5ns));
  folder_.write("results/measurements.jsonl", "{\"takt_sweep\": 2}\n");
  EXPECT_THAT(message_of([&] { read_sweep(folder_.path()); }),
              testing::HasSubstr("measurements.jsonl:1: was written by a newer version of takt"));
}

TEST_F(SweepJournals, one_that_was_killed_before_its_first_line_begins_anew) {
  folder_.write("results/measurements.jsonl", "{\"takt_sw");
  EXPECT_FALSE(read_sweep(folder_.path()));
  append(record_of(10, "CPU", 5ns));
  EXPECT_THAT(keys(), testing::SizeIs(1));
}

TEST_F(SweepJournals, one_whose_first_line_a_power_cut_damaged_tells_nothing) {
  append(record_of(10, "CPU", 5ns), {1, 2});
  const auto first = *std::filesystem::directory_iterator(folder_ / "results");
  const std::string text = read_file(first.path());
  std::string damaged = text;
  damaged.replace(text.find('\n') + 1, std::string::npos, std::string(3, '\0') + "rest");
  damaged.erase(text.find('\n'), 1);
  folder_.write("results/" + first.path().filename().string(), damaged);
  EXPECT_FALSE(read_sweep(folder_.path()));
}

TEST_F(SweepJournals, another_kind_of_file_is_named) {
  folder_.write("results/measurements.jsonl", "{\"other\": 1}\n");
  EXPECT_THAT(message_of([&] { read_sweep(folder_.path()); }), testing::HasSubstr("measurements.jsonl"));
}

TEST_F(SweepJournals, shards_that_were_measured_in_two_ways_are_no_sweep) {
  append(record_of(10, "CPU", 5us), {1, 2});
  SweepConfiguration other = usual();
  other.iterations = 50;
  {
    const TestFolder elsewhere;
    SweepJournal(elsewhere.path(), other, {2, 2}).append(to_json(record_of(20, "CPU", 5us)));
    std::filesystem::copy(elsewhere / "results", folder_ / "results", std::filesystem::copy_options::recursive);
  }
  EXPECT_THAT(message_of([&] { read_sweep(folder_.path()); }), testing::HasSubstr("iterations"));
}

}  // namespace
}  // namespace takt
