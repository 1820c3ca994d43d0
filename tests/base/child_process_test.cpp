#include "base/system/child_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/basics/error.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using Answer = ChildProcess::Answer;

constexpr Nanoseconds patient = 60s;

std::vector<std::string> shell(const std::string& script) { return {"/bin/sh", "-c", script}; }

TEST(ChildProcess, answers_in_lines_and_then_ends) {
  ChildProcess child(shell("while read word; do echo \"got $word\"; done; printf torn; exit 3"), "one\ntwo\n");
  std::string line;
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(line, "got one");
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(line, "got two");
  EXPECT_EQ(child.next(line, patient), Answer::ended);
  EXPECT_EQ(child.end().code, 3);
  EXPECT_EQ(child.end().signal, std::nullopt);
  EXPECT_EQ(to_string(child.end()), "exit code 3");
}

TEST(ChildProcess, one_with_open_input_waits_for_what_it_is_told) {
  ChildProcess child(shell("read a; echo ready; read b; echo $a $b; read c || echo end"), "one\n",
                     ChildProcess::Input::open);
  std::string line;
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(line, "ready");
  EXPECT_EQ(child.next(line, 50ms), Answer::late) << "it waits";
  child.tell("two");
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(line, "one two");
}

TEST(ChildProcess, one_that_has_ended_is_told_nothing) {
  ChildProcess child(shell("exit 0"), "", ChildProcess::Input::open);
  std::string line;
  EXPECT_EQ(child.next(line, patient), Answer::ended);
  child.tell("two");  // no signal ends this program
  EXPECT_EQ(child.end().code, 0);
}

TEST(ChildProcess, input_and_answers_of_megabytes_pass) {
  const std::string much(3 << 20, 'x');
  ChildProcess child(shell("cat"), much + "\n");
  std::string line;
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(line, much);
}

TEST(ChildProcess, says_what_killed_it) {
  ChildProcess child(shell("echo before; echo no memory >&2; echo >&2; kill -SEGV $$"), "");
  std::string line;
  EXPECT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(child.next(line, patient), Answer::ended);
  EXPECT_EQ(child.end().signal, SIGSEGV);
  EXPECT_EQ(to_string(child.end()).rfind("signal 11 (", 0), 0u);
  EXPECT_EQ(child.last_words(), "no memory");
}

TEST(ChildProcess, its_last_words_are_in_the_last_4096_bytes) {
  const auto words = [](const std::string& script) {
    ChildProcess child(shell(script), "");
    child.end();
    return child.last_words();
  };
  EXPECT_EQ(words("exit 0"), "");
  EXPECT_EQ(words("echo ' one '; echo first >&2; echo ' two ' >&2; echo ' ' >&2"), "two");
  EXPECT_EQ(words("head -c 5000 /dev/zero | tr '\\0' x >&2"), std::string(4096, 'x'));
  EXPECT_EQ(words("head -c 4095 /dev/zero | tr '\\0' x >&2; echo >&2; echo end >&2"), "end");
}

TEST(ChildProcess, the_reason_of_its_end_is_its_own_sentence_or_how_it_ended) {
  const auto reason = [](const std::string& script) {
    ChildProcess child(shell(script), "");
    return reason_of_end(child, "the worker");
  };
  EXPECT_EQ(reason("echo 'takt: no such model' >&2; exit 1"), "no such model");
  EXPECT_EQ(reason("echo 'takt: no such model' >&2; exit 2"), "the worker ended with exit code 2: takt: no such model");
  EXPECT_EQ(reason("echo 'no such model' >&2; exit 1"), "the worker ended with exit code 1: no such model");
  EXPECT_EQ(reason("exit 3"), "the worker ended with exit code 3");
  EXPECT_EQ(reason("printf 'a\\033b' >&2; kill -KILL $$"), "the worker ended with signal 9 (Killed): a\\x1bb");
}

TEST(ChildProcess, one_that_hangs_is_late_and_ends_with_its_owner) {
  std::string line;
  pid_t id = 0;
  {
    ChildProcess child(shell("echo $$; sleep 1000 & wait"), "");
    ASSERT_EQ(child.next(line, patient), Answer::line);
    id = static_cast<pid_t>(std::stol(line));
    EXPECT_EQ(child.next(line, 50ms), Answer::late);
    const std::atomic<bool> stop{true};
    EXPECT_EQ(child.next(line, patient, &stop), Answer::stopped);
    EXPECT_EQ(child.end().signal, SIGTERM);
  }
  EXPECT_EQ(::kill(id, 0), -1);  // it was reaped
}

TEST(ChildProcess, one_that_does_not_listen_is_killed) {
  std::string line;
  ChildProcess child(shell("trap '' TERM; echo ready; while :; do sleep 1000; done"), "");
  ASSERT_EQ(child.next(line, patient), Answer::line);
  EXPECT_EQ(child.end().signal, SIGKILL);
}

TEST(ChildProcess, one_that_cannot_be_started_is_named) {
  try {
    const ChildProcess child({"/missing/program"}, "");
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_NE(std::string(error.what()).find("/missing/program"), std::string::npos);
  }
}

TEST(ChildProcess, leaves_no_descriptor_open) {
  const auto next_free = [] {
    const int one = ::dup(0);
    ::close(one);
    return one;
  };
  const int before = next_free();
  for (int turn = 0; turn < 3; ++turn) {
    ChildProcess child(shell("exit 0"), "x");
    child.end();
  }
  EXPECT_EQ(next_free(), before);
}

}  // namespace
}  // namespace takt
