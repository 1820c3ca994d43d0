// What a run leaves while it goes on: all of it when it ends, what it had when it is killed.
#include "pipeline/record/run_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "pipeline/record/journal_blocks.h"
#include "pipeline/record/kept_batches.h"
#include "pipeline/record/left_journal.h"
#include "pipeline/record/passages.h"
#include "pipeline/record/run_description.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

void add(std::string& bytes, std::uint32_t number) { bytes.append(reinterpret_cast<const char*>(&number), 4); }
void add(std::string& bytes, std::int64_t number) { bytes.append(reinterpret_cast<const char*>(&number), 8); }
void add(std::string& bytes, const std::string& text) {
  add(bytes, static_cast<std::uint32_t>(text.size()));
  bytes += text;
}

/// The file of a run, a block for each batch, written down here a second time; `ends[k]`: where block k ends.
struct WrittenJournal {
  std::string bytes{run_journal_magic()};
  std::vector<std::size_t> ends;

  void block(std::uint32_t type, const std::string& content) {
    append_block(bytes, type, content);
    ends.push_back(bytes.size());
  }
  void head(const PipelineRun& run, std::optional<std::int64_t> warmup) {
    std::string content;
    add(content, std::uint32_t{warmup ? 1u : 0u});
    add(content, warmup.value_or(0));
    add(content, describe_run(planned_of(run)));
    block(1, content);
  }
  void batch(const BatchPassage& passage) {
    std::string content;
    pack(content, passage);
    block(3, content);
  }
};

WrittenJournal journal_of(const PipelineRun& run, const std::vector<BatchPassage>& passages) {
  WrittenJournal journal;
  journal.head(run, run.warmup);
  std::string base;
  add(base, static_cast<std::int64_t>(run.base_time.value_or(Nanoseconds(0)).count()));
  journal.block(2, base);
  for (const BatchPassage& passage : passages) journal.batch(passage);
  return journal;
}

std::string journal_refusal(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(RunJournal, what_a_run_told_is_read_back_and_given_at_the_end) {
  TestFolder folder;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const PipelineRun run = measured(seed);
    const PipelineRun planned = planned_of(run);
    const auto expected = first_batches(run, run.schedule.batches.size(), run.warmup);
    RunJournal journal(folder / "j", [&](const PipelineRun& told) {
      EXPECT_EQ(told.name, run.name);
      return run.provenance_json;
    });
    KeptBatches kept;
    PipelineRun from_journal = planned, from_memory = planned;
    for (BatchSink* sink : {static_cast<BatchSink*>(&journal), static_cast<BatchSink*>(&kept)}) {
      sink->open(planned, run.warmup);
      sink->start(*run.base_time);
      for (const auto& passage : passages_of(run)) sink->take(passage);
      EXPECT_EQ(sink->failure(), std::nullopt);
      PipelineRun& told = sink == &kept ? from_memory : from_journal;
      told.base_time = run.base_time, told.interrupted = run.interrupted, told.failure = run.failure;
      sink->end(told);
      told.warmup = expected.warmup;
      expect_same_record(expected, told);
    }
    const JournalledRun read = read_run_journal(folder / "j");
    EXPECT_TRUE(read.ended);
    EXPECT_EQ(read.left_out, 0);
    expect_same_record(expected, read.run);
    journal.remove();
    EXPECT_FALSE(std::filesystem::exists(folder / "j"));
    if (HasFatalFailure()) return;
  }
}

TEST(RunJournal, cut_anywhere_it_has_every_batch_that_was_written_whole) {
  std::size_t cuts = 0, forking = 0;
  for (std::uint64_t seed = 0; seed < random_cases(40); ++seed) {
    const PipelineRun run = measured(seed);
    forking += !is_chain(run.shape);
    const auto passages = passages_of(run);
    const WrittenJournal journal = journal_of(run, passages);
    // At the end of every block, right before and behind it, and in its middle.
    for (std::size_t b = 1; b < journal.ends.size(); ++b) {
      const std::size_t before = journal.ends[b - 1], end = journal.ends[b];
      for (const std::size_t size : {before, before + 1, (before + end) / 2, end - 1, end}) {
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << size << " bytes");
        const auto read = parse_run_journal(std::string_view(journal.bytes).substr(0, size), "cut");
        const std::size_t whole = size == end ? b : b - 1;
        PipelineRun expected = first_batches(run, whole < 1 ? 0 : whole - 1, run.warmup);
        if (whole < 1) expected.base_time.reset();
        expected.interrupted = true;
        expected.failure.reset();
        expected.provenance_json = run.provenance_json;
        EXPECT_FALSE(read.ended);
        expect_same_record(expected, read.run);
        if (HasFatalFailure()) return;
        ++cuts;
      }
    }
  }
  EXPECT_GT(cuts, random_cases(1000));
  EXPECT_GT(forking, is_sanitized() ? 0u : 5u);
}

TEST(RunJournal, tables_of_a_cut_one_are_those_of_the_batches_that_it_has) {
  const PipelineRun run = measured(7);
  const auto passages = passages_of(run);
  ASSERT_GT(passages.size(), 4u);
  const WrittenJournal journal = journal_of(run, passages);
  const auto read = parse_run_journal(std::string_view(journal.bytes).substr(0, journal.ends[1 + 4]), "cut");
  PipelineRun expected = first_batches(run, 4, run.warmup);
  expected.interrupted = true;
  expected.failure.reset();
  order_copies(expected);
  const Accounts a = account(expected), b = account(read.run);
  EXPECT_EQ(to_text(a), to_text(b));
  EXPECT_EQ(b.batches.size(), 4u);
}

TEST(RunJournal, batches_behind_one_that_was_not_delivered_are_counted_and_left_out) {
  const PipelineRun run = measured(5);
  auto passages = passages_of(run);
  ASSERT_GT(passages.size(), 4u);
  const std::size_t all = passages.size();
  passages.erase(passages.begin() + 2);
  const auto read = parse_run_journal(journal_of(run, passages).bytes, "j");
  EXPECT_EQ(read.run.schedule.batches.size(), 2u);
  EXPECT_EQ(read.left_out, static_cast<std::int64_t>(all) - 3);
  std::rotate(passages.begin(), passages.begin() + 1, passages.end());  // and in any order
  EXPECT_EQ(parse_run_journal(journal_of(run, passages).bytes, "j").run.schedule.batches.size(), 2u);
}

TEST(RunJournal, behind_a_damaged_block_it_is_read_on_and_the_longest_stretch_counts) {
  const auto run = simulated_run(pipeline({stage_on(0), stage_on(1)}, 20), {takes(5), takes(7)});
  WrittenJournal journal = journal_of(run, passages_of(run));
  std::string end;
  for (int zero = 0; zero < 3; ++zero) add(end, std::uint32_t{0});  // not interrupted, no failure, no text
  journal.block(4, end);
  for (const std::int64_t lost : {0, 3, 12, 19}) {
    std::string bytes = journal.bytes;
    const std::size_t begin = journal.ends[static_cast<std::size_t>(lost) + 1];
    for (std::size_t i = 0; i < 8; ++i) bytes[begin + 3 + i] = 'x';  // in its head, so that its length is lost, too
    const auto read = parse_run_journal(bytes, "j");
    const std::int64_t first = lost < 10 ? lost + 1 : 0, count = lost < 10 ? 19 - lost : lost;
    EXPECT_TRUE(read.damaged && read.ended) << lost;
    EXPECT_EQ(read.first, first);
    ASSERT_EQ(std::ssize(read.run.schedule.batches), count) << lost;
    EXPECT_EQ(read.left_out, 19 - count) << lost;
    for (std::int64_t i = 0; i < count; ++i)
      EXPECT_EQ(read.run.schedule.batches[static_cast<std::size_t>(i)].delivered,
                run.schedule.batches[static_cast<std::size_t>(first + i)].delivered);
    EXPECT_EQ(account(read.run).batches.size(), static_cast<std::size_t>(count));
  }
  std::string cut = journal.bytes.substr(0, journal.ends[10] + 5);
  EXPECT_FALSE(parse_run_journal(cut, "j").damaged) << "a run that was killed";
}

TEST(RunJournal, warm_up_batches_are_those_asked_for_or_a_twentieth) {
  const auto run = simulated_run(pipeline({stage_on(0)}, 60), {takes(5)});
  for (const std::optional<std::int64_t> asked :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(0), std::optional<std::int64_t>(99)}) {
    WrittenJournal journal;
    journal.head(run, asked);
    EXPECT_EQ(parse_run_journal(journal.bytes, "j").run.warmup, 0) << "of no batch";
    for (const auto& passage : passages_of(run)) journal.batch(passage);
    EXPECT_EQ(parse_run_journal(journal.bytes, "j").run.warmup, asked ? std::min<std::int64_t>(*asked, 59) : 3);
  }
}

TEST(RunJournal, what_is_no_journal_or_says_nothing_is_refused) {
  const PipelineRun run = measured(3);
  const auto said = [](const std::string& bytes) {
    return journal_refusal([&] { parse_run_journal(bytes, "x.journal"); });
  };
  const std::string magic(run_journal_magic());
  EXPECT_EQ(said("{}"),
            "x.journal: the file does not start with the expected header; it is of another kind or version");
  EXPECT_EQ(said(magic), "x.journal: the journal ends before its description of the run; it has no content");
  const WrittenJournal whole = journal_of(run, passages_of(run));
  EXPECT_EQ(said(whole.bytes.substr(0, whole.ends[0] - 1)),
            "x.journal: the journal ends before its description of the run; it has no content");
  WrittenJournal journal;
  journal.block(1, "short");
  EXPECT_EQ(said(journal.bytes),
            "x.journal: the journal's description of the pipeline is damaged; record the run again");
  journal = {};
  journal.head(run, 1);
  journal.block(3, "no batch");
  EXPECT_EQ(said(journal.bytes), "x.journal: a batch of the journal is damaged; record the run again");
  journal = {};
  journal.head(run, 1);
  auto passage = passages_of(run).at(0);
  passage.copies.clear();
  passage.steps.pop_back();
  journal.batch(passage);
  EXPECT_NE(said(journal.bytes).find("a missing or a duplicate execution"), std::string::npos) << said(journal.bytes);
  journal = {};
  journal.head(run, -1);
  EXPECT_NE(said(journal.bytes).find("warm-up"), std::string::npos) << said(journal.bytes);
  const auto with_description = [&](const std::string& from, const std::string& to) {
    std::string description = describe_run(planned_of(run));
    const auto place = description.find(from);
    EXPECT_NE(place, std::string::npos) << from << " in " << description;
    if (place != std::string::npos) description.replace(place, from.size(), to);
    WrittenJournal other;
    std::string content;
    add(content, std::uint32_t{0});
    add(content, std::int64_t{0});
    add(content, description);
    other.block(1, content);
    return said(other.bytes);
  };
  EXPECT_THAT(with_description("\"queue\":", "\"queue\":0, \"else\":"), testing::HasSubstr("queue"));
}

TEST(RunJournal, what_cannot_be_put_aside_stops_the_run) {
  TestFolder folder;
  const std::filesystem::path path = folder / std::string(254, 'j');  // with ".1" it is longer than a name may be
  const std::string left = journal_of(measured(3), passages_of(measured(3))).bytes;
  folder.write(path.filename().string(), left);
  EXPECT_THAT(
      journal_refusal([&] { set_aside_left_journal(path); }),
      testing::HasSubstr(
          "the file that an earlier run left here cannot be renamed: the name is too long; move it, or name another "
          "trace"));
  EXPECT_EQ(read_file(path), left);
}

TEST(RunJournal, after_a_block_of_no_known_kind_nothing_counts) {
  const PipelineRun run = measured(3);
  const auto passages = passages_of(run);
  WrittenJournal journal = journal_of(run, {passages[0]});
  journal.block(9, "of a later version");
  journal.batch(passages[1]);
  EXPECT_EQ(parse_run_journal(journal.bytes, "j").run.schedule.batches.size(), 1u);
}

/// The disk is full after so many bytes of a file.
class FullDisk {
 public:
  explicit FullDisk(int bytes) { setenv("TAKT_FAIL_WRITE_AFTER", std::to_string(bytes).c_str(), 1); }
  ~FullDisk() { unsetenv("TAKT_FAIL_WRITE_AFTER"); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
};

TEST(RunJournal, a_full_disk_is_told_and_nothing_is_lost) {
  TestFolder folder;
  const PipelineRun run = measured(5);
  PipelineRun told = planned_of(run);
  RunJournal journal(folder / "j");
  journal.open(told, run.warmup);
  const FullDisk full(static_cast<int>(std::filesystem::file_size(folder / "j")) + 10);
  journal.start(*run.base_time);
  told.base_time = run.base_time;
  for (const auto& passage : passages_of(run)) journal.take(passage);
  journal.end(told);
  ASSERT_TRUE(told.failure);
  EXPECT_NE(told.failure->find("cannot write '" + (folder / "j").string() + "': no space left"), std::string::npos)
      << *told.failure;
  EXPECT_EQ(journal.failure(), told.failure);
  EXPECT_EQ(journal.batches_in_file(), 0);
  PipelineRun expected = first_batches(run, run.schedule.batches.size(), run.warmup);
  expected.failure = told.failure;
  expected.interrupted = true;
  told.warmup = expected.warmup;
  expect_same_record(expected, told);
  EXPECT_EQ(read_run_journal(folder / "j").run.schedule.batches.size(), 0u) << "and what is there can be read";
}

TEST(RunJournal, one_that_cannot_be_begun_leaves_nothing) {
  TestFolder folder;
  const PipelineRun planned = planned_of(measured(5));
  for (const int bytes : {0, 10, 40}) {
    const FullDisk full(bytes);
    RunJournal journal(folder / "j");
    EXPECT_NE(journal_refusal([&] { journal.open(planned, {}); }).find("no space left"), std::string::npos) << bytes;
    EXPECT_FALSE(std::filesystem::exists(folder / "j")) << bytes;
  }
  RunJournal nowhere(folder / "no" / "j");
  EXPECT_NE(journal_refusal([&] { nowhere.open(planned, {}); }).find("cannot write '"), std::string::npos);
}

TEST(RunJournal, belongs_to_one_run_at_a_time) {
  TestFolder folder;
  const PipelineRun run = measured(5);
  PipelineRun first_run = planned_of(run);
  RunJournal first(folder / "j"), second(folder / "j");
  first.open(first_run, run.warmup);
  first.start(*run.base_time);
  const std::string why = journal_refusal([&] { second.open(first_run, {}); });
  EXPECT_NE(why.find("another run writes this file"), std::string::npos) << why;
  for (const auto& passage : passages_of(run)) first.take(passage);
  first.end(first_run);
  EXPECT_EQ(first_run.schedule.batches.size(), run.schedule.batches.size());
  EXPECT_EQ(first.batches_in_file(), static_cast<std::int64_t>(run.schedule.batches.size()));
  EXPECT_FALSE(first_run.failure);
}

TEST(RunJournal, keeps_a_journal_that_lies_there_under_another_name_and_refuses_other_files) {
  TestFolder folder;
  folder.write("letter", "Dear reader");
  const PipelineRun planned = planned_of(measured(5));
  RunJournal letter(folder / "letter");
  EXPECT_NE(journal_refusal([&] { letter.open(planned, {}); }).find("file of another kind"), std::string::npos);
  EXPECT_EQ(read_file(folder / "letter"), "Dear reader");
  const std::string left = journal_of(measured(3), passages_of(measured(3))).bytes;
  for (const std::string kept : {"old.1", "old.2"}) {
    folder.write("old", left);
    PipelineRun run = planned;
    RunJournal old(folder / "old");
    old.open(planned, {});
    EXPECT_NE(old.found().find(std::to_string(passages_of(measured(3)).size()) + " batches here, kept as"),
              std::string::npos)
        << old.found();
    EXPECT_NE(old.found().find(kept + "'"), std::string::npos) << old.found();
    EXPECT_EQ(read_file(folder / kept), left);
    old.start({});
    old.end(run);
    EXPECT_EQ(read_run_journal(folder / "old").run.schedule.batches.size(), 0u);
    old.remove();
    EXPECT_TRUE(std::filesystem::exists(folder / kept));
  }
}

TEST(RunJournal, one_without_a_batch_is_replaced_with_a_word) {
  TestFolder folder;
  folder.write("old", journal_of(measured(3), {}).bytes);
  RunJournal old(folder / "old");
  old.open(planned_of(measured(5)), {});
  EXPECT_NE(old.found().find("without any batch; it is replaced"), std::string::npos) << old.found();
  EXPECT_FALSE(std::filesystem::exists(folder / "old.1"));
}

TEST(RunJournal, nothing_is_said_where_nothing_lies) {
  TestFolder folder;
  folder.write("empty", "");
  for (const char* name : {"empty", "new"}) {
    RunJournal journal(folder / name);
    journal.open(planned_of(measured(5)), {});
    EXPECT_EQ(journal.found(), "") << name;
  }
}

TEST(RunJournal, is_there_while_the_run_goes_on) {
  TestFolder folder;
  const PipelineRun run = measured(5);
  PipelineRun told = planned_of(run);
  RunJournal journal(folder / "j");
  journal.open(told, run.warmup);
  journal.start(*run.base_time);
  const auto passages = passages_of(run);
  journal.take(passages[0]);
  std::size_t found = 0;
  for (int look = 0; look < 6000 && found == 0; ++look) {  // it is written several times a second
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    found = read_run_journal(folder / "j").run.schedule.batches.size();
  }
  EXPECT_EQ(found, 1u);
  journal.end(told);
}

}  // namespace
}  // namespace takt
