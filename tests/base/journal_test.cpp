#include "base/files/journal.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <thread>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/files/strict_json.h"
#include "base/system/child_process.h"
#include "refused.h"
#include "test_folder.h"

namespace {
bool flush_fails = false;
}

/// In the place of the C library's, so that a disk can fail.
extern "C" int fdatasync(int descriptor) {
  if (!flush_fails) return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
  errno = EIO;
  return -1;
}

namespace takt {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Those that are JSON.
std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  read_journal(path, [&](const JournalLine& line) { lines.emplace_back(line.text); });
  return lines;
}

class JournalTest : public testing::Test {
 protected:
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string refusal(ErrorKind kind) const {
    try {
      Journal journal(path_);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind);
      return error.what();
    }
    return "accepted";
  }

  TestFolder folder_;
  std::filesystem::path path_ = folder_ / "sweep.jsonl";
};

TEST_F(JournalTest, lines_come_back_in_order_and_a_second_run_continues) {
  Journal(path_).append(R"({"n":1})");
  {
    Journal journal(path_);
    journal.append(R"({"n":2,"text":"卷积\n"})");
    EXPECT_EQ(lines_of(path_).size(), 2u) << "readable while it is open";
  }
  EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})", R"({"n":2,"text":"卷积\n"})"));
  EXPECT_EQ(read_file(path_).back(), '\n');
}

TEST_F(JournalTest, a_torn_last_line_is_dropped_and_cut_off_wherever_it_was_torn) {
  const std::string first = "{\"n\":1}\n", second = R"({"n":{"m":2}})";
  for (std::size_t size = 1; size < second.size(); ++size) {
    write(first + second.substr(0, size));
    EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})")) << size;
    { const Journal opened(path_); }
    EXPECT_EQ(read_file(path_), first) << "already when it is opened";
    write(first + second.substr(0, size));
    Journal(path_).append(R"({"n":3})");
    EXPECT_EQ(read_file(path_), first + "{\"n\":3}\n") << size;
  }
}

TEST_F(JournalTest, a_line_that_lacks_only_its_end_is_kept) {
  write("{\"n\":1}\n{\"n\":2}");
  EXPECT_EQ(lines_of(path_).size(), 2u);
  Journal(path_).append(R"({"n":3})");
  EXPECT_EQ(read_file(path_), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
}

TEST_F(JournalTest, nul_bytes_that_a_power_cut_left_at_the_end_are_cut_off) {
  for (const std::string& end : {std::string(100, '\0'), "{\"n\":2" + std::string(50, '\0')}) {
    write("{\"n\":1}\n" + end);
    EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})"));
    Journal(path_).append(R"({"n":3})");
    EXPECT_EQ(read_file(path_), "{\"n\":1}\n{\"n\":3}\n");
  }
  write("{\"n\":1}\n{\"n\":2}" + std::string(50, '\0'));
  EXPECT_EQ(lines_of(path_).size(), 2u) << "the line was whole";
  Journal(path_).append(R"({"n":3})");
  EXPECT_EQ(read_file(path_), "{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n");
  write(std::string(4096, '\0'));
  EXPECT_TRUE(lines_of(path_).empty());
  Journal(path_).append(R"({"n":1})");
  EXPECT_EQ(read_file(path_), "{\"n\":1}\n");
}

/// Takes lines whose "n" is above 0; what is no JSON it refuses like all else.
JournalDamage read_numbers(const std::filesystem::path& path, std::vector<int>& numbers) {
  return read_journal(path, [&](const JournalLine& line) {
    const auto json = parse_strictly(line.text, line.place);
    if (json.at("n") <= 0) refuse_input(line.place + ": is no number");
    numbers.push_back(json.at("n"));
  });
}

TEST_F(JournalTest, a_damaged_line_is_told_and_those_behind_it_are_read_and_kept) {
  const std::string damaged = "{\"n\":1}\n{\"n\x01\xff}\n" + std::string(20, '\0') + "{\"n\":3}\nn\":4}\n{\"n\":5}\n";
  write(damaged);
  std::vector<int> numbers;
  const JournalDamage damage = read_numbers(path_, numbers);
  EXPECT_THAT(numbers, ElementsAre(1, 3, 5));
  EXPECT_EQ(damage.lines, 3u);
  EXPECT_EQ(damage.to_text("j"), "j: 3 lines are damaged and ignored, the first of them line 2");
  Journal(path_).append(R"({"n":6})");
  EXPECT_EQ(read_file(path_), damaged + "{\"n\":6}\n");
}

TEST_F(JournalTest, a_line_that_is_json_but_wrong_is_refused_and_so_is_a_damaged_first_one) {
  std::vector<int> numbers;
  write("{\"n\":1}\n{\"n\":-7}\n");
  const auto refused = [&] { return refused_with([&] { read_numbers(path_, numbers); }); };
  EXPECT_EQ(refused(), path_.string() + ":2: is no number");
  write("{\"n\":x}\n{\"n\":2}\n");
  EXPECT_EQ(refused(),
            path_.string() + ":1: 'n': byte 6 is not JSON, where numbers are finite and written with digits");
  write("{\"n\":1}\n{\"n\":2}\nnotes");
  EXPECT_EQ(read_numbers(path_, numbers).to_text("j"), "j: line 3 is damaged and ignored");
}

TEST_F(JournalTest, nothing_in_it_is_no_error_and_no_file_is) {
  write("");
  EXPECT_THAT(lines_of(path_), ElementsAre());
  std::filesystem::remove(path_);
  EXPECT_EQ(refused_with([&] { lines_of(path_); }), "cannot read '" + path_.string() + "': no such file");
}

/// Appends numbered lines, telling each number through the pipe once append() has returned.
[[noreturn]] void append_for_ever(const std::filesystem::path& path, int told) {
  Journal journal(path);
  const std::string padding(3000, 'x');
  for (int n = 0;; ++n) {
    journal.append("{\"n\":" + std::to_string(n) + ",\"pad\":\"" + padding + "\"}");
    if (::write(told, &n, sizeof n) != sizeof n) ::_exit(1);
  }
}

TEST_F(JournalTest, a_killed_writer_loses_no_line_that_it_had_appended) {
  for (const int lines_before_the_kill : {1, 7, 40}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) append_for_ever(path_, ends[1]);
    ::close(ends[1]);
    int number = -1, last = -1;
    while (number < lines_before_the_kill && ::read(ends[0], &number, sizeof number) == sizeof number) last = number;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    while (::read(ends[0], &number, sizeof number) == sizeof number) last = number;
    ::close(ends[0]);
    ASSERT_GE(last, lines_before_the_kill) << "the child ended by itself";

    Journal reopened(path_);  // the lock died with the child
    const auto lines = lines_of(path_);
    EXPECT_GE(lines.size(), static_cast<std::size_t>(last) + 1);
    EXPECT_LE(lines.size(), static_cast<std::size_t>(last) + 2) << "at most the line in flight is not told";
    for (std::size_t n = 0; n < lines.size(); ++n)
      EXPECT_EQ(lines[n].find("{\"n\":" + std::to_string(n) + ","), 0u) << n;
    std::filesystem::remove(path_);
  }
}

TEST_F(JournalTest, a_second_writer_is_refused_until_the_first_has_ended) {
  {
    Journal first(path_);
    EXPECT_THAT(refusal(ErrorKind::io), HasSubstr("another run is writing it"));
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) ::_exit(refusal(ErrorKind::io).find("another run") == std::string::npos ? 1 : 0);
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "another process is refused";
    first.append("{}");
  }
  EXPECT_EQ(refusal(ErrorKind::io), "accepted");
}

TEST_F(JournalTest, a_child_that_lives_longer_does_not_keep_it) {
  auto journal = std::make_unique<Journal>(path_);
  ChildProcess child({"/bin/sh", "-c", "echo begun; read never"}, "", ChildProcess::Input::open);
  std::string line;
  ASSERT_EQ(child.next(line, std::chrono::seconds(60)), ChildProcess::Answer::line);
  journal.reset();
  EXPECT_EQ(refusal(ErrorKind::io), "accepted");
}

TEST_F(JournalTest, threads_do_not_mix_their_lines) {
  {
    Journal journal(path_);
    const std::string line = "{\"pad\":\"" + std::string(5000, 'x') + "\"}";
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 5; ++i) journal.append(line);
      });
  }
  const auto lines = lines_of(path_);
  EXPECT_EQ(lines.size(), 20u);
  for (const auto& line : lines) EXPECT_EQ(line.size(), 5010u);
}

TEST_F(JournalTest, what_would_be_several_lines_or_no_object_is_refused) {
  Journal journal(path_);
  for (const char* text : {"{\"a\":\n1}", "{}\n", "{}\r", "", "{", "1", "[1]"})
    EXPECT_THAT(refused_with([&] { journal.append(text); }),
                StartsWith(path_.string() + ": a journal takes JSON objects of one line, not '"))
        << text;
  EXPECT_EQ(refused_with([&] { journal.append("[" + std::string(60, '1') + "]"); }),
            path_.string() + ": a journal takes JSON objects of one line, not '[" + std::string(59, '1') + "'");
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(JournalTest, a_file_that_is_no_journal_is_refused_and_left_as_it_was) {
  for (const std::string text : {"weights", "weights\nmore", "{\n  \"a\": 1\n}\n", "weights\n{\"a\":1}\n"}) {
    write(text);
    EXPECT_THAT(refusal(ErrorKind::bad_input), HasSubstr("not a journal")) << text;
    EXPECT_EQ(read_file(path_), text);
  }
}

TEST_F(JournalTest, paths_that_cannot_be_written_get_one_sentence) {
  path_ = folder_.path();
  EXPECT_THAT(refusal(ErrorKind::io), HasSubstr("is a folder"));
  path_ = folder_ / "missing" / "a.jsonl";
  EXPECT_THAT(refusal(ErrorKind::io), HasSubstr("its folder does not exist"));
  path_ = "/dev/null";
  EXPECT_THAT(refusal(ErrorKind::io), HasSubstr("not a regular file"));
}

TEST_F(JournalTest, what_does_not_reach_the_disk_is_no_line) {
  Journal journal(path_);
  journal.append(R"({"n":1})");
  flush_fails = true;
  EXPECT_EQ(refused_with([&] { journal.append(R"({"n":2})"); }),
            "cannot append to '" + path_.string() + "': Input/output error");
  flush_fails = false;
  EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})"));
  journal.append(R"({"n":3})");
  EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})", R"({"n":3})"));
}

TEST_F(JournalTest, half_a_line_that_could_not_be_cut_off_is_when_the_next_one_comes) {
  Journal journal(path_);
  journal.append(R"({"n":1})");
  std::ofstream(path_, std::ios::app) << R"({"n":)";
  journal.append(R"({"n":2})");
  EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})", R"({"n":2})"));
}

TEST_F(JournalTest, a_full_disk_leaves_no_half_line) {
  Journal journal(path_);
  journal.append(R"({"n":1})");
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const rlimit small{20, old.rlim_max};
  const auto previous = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_EQ(refused_with([&] { journal.append("{\"pad\":\"" + std::string(100, 'x') + "\"}"); }),
            "cannot append to '" + path_.string() + "': no space left on the device");
  ::setrlimit(RLIMIT_FSIZE, &old);
  ::signal(SIGXFSZ, previous);
  EXPECT_EQ(read_file(path_), "{\"n\":1}\n");
  journal.append(R"({"n":2})");
  EXPECT_THAT(lines_of(path_), ElementsAre(R"({"n":1})", R"({"n":2})"));
}

}  // namespace
}  // namespace takt
