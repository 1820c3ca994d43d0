#include "base/system/apart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include "base/basics/error.h"
#include "base/files/file.h"

namespace takt {
namespace {

using namespace std::chrono_literals;
using End = DoneApart::End;

void expect_no_child_is_left() {
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(Apart, what_the_copy_returns_is_the_answer_and_what_it_changes_stays_there) {
  int changed = 1;
  const DoneApart done = do_apart(
      [&] {
        changed = 2;
        return std::string(3'000'000, 'x');
      },
      30s);
  EXPECT_EQ(done.end, End::answered) << done.reason;
  EXPECT_EQ(done.answer.size(), 3'000'000u);
  EXPECT_EQ(changed, 1);
  expect_no_child_is_left();
}

TEST(Apart, an_empty_answer_is_one) {
  const DoneApart done = do_apart([] { return std::string(); }, 30s);
  EXPECT_EQ(done.end, End::answered);
  EXPECT_EQ(done.answer, "");
}

TEST(Apart, a_crash_is_told_by_its_signal) {
  const auto crash_by = [](int signal) {
    return do_apart(
        [signal]() -> std::string {
          ::raise(signal);
          return "alive";
        },
        30s);
  };
  EXPECT_EQ(crash_by(SIGABRT).end, End::crashed);
  EXPECT_THAT(crash_by(SIGABRT).reason, testing::StartsWith("signal 6 ("));
  EXPECT_THAT(crash_by(SIGSEGV).reason, testing::StartsWith("signal 11 ("));
  expect_no_child_is_left();
}

TEST(Apart, signals_that_this_process_hears_or_leaves_alone_end_a_copy) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM}) {
    const auto before = std::signal(signal, SIG_IGN);
    const DoneApart done = do_apart(
        [signal]() -> std::string {
          ::raise(signal);
          return "alive";
        },
        30s);
    std::signal(signal, before);
    EXPECT_EQ(done.end, End::crashed) << signal;
    EXPECT_THAT(done.reason, testing::StartsWith("signal " + std::to_string(signal) + " ("));
  }
}

// Its group is not the terminal's; it dies with its parent, leaves no core dump and tells nobody of files that it reads.
TEST(Apart, a_copy_is_a_program_of_its_own) {
  static std::string heard;
  listen_to_files([](std::string_view, const std::filesystem::path&, std::size_t) { heard = "a file"; });
  const DoneApart done = do_apart(
      [] {
        rlimit core{};
        ::getrlimit(RLIMIT_CORE, &core);
        int at_death = 0;
        ::prctl(PR_GET_PDEATHSIG, &at_death);
        read_file("/proc/self/status");
        return std::to_string(::getpgid(0) == ::getpid()) + " " + std::to_string(at_death) + " " +
               std::to_string(core.rlim_cur + core.rlim_max) + heard;
      },
      30s);
  listen_to_files(nullptr);
  EXPECT_EQ(done.answer, "1 9 0");
}

TEST(Apart, without_a_descriptor_for_its_answer_there_is_no_copy) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none{0, old.rlim_max};
  ::setrlimit(RLIMIT_NOFILE, &none);
  const DoneApart done = do_apart([] { return std::string("answer"); }, 30s);
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_EQ(done.end, End::crashed);
  EXPECT_EQ(done.reason, "Too many open files");
  EXPECT_EQ(done.answer, "");
}

TEST(Apart, a_copy_that_ends_itself_has_not_answered) {
  const DoneApart done = do_apart([]() -> std::string { std::_Exit(3); }, 30s);
  EXPECT_EQ(done.end, End::crashed);
  EXPECT_EQ(done.reason, "exit code 3");
}

TEST(Apart, what_is_thrown_is_the_reason) {
  const DoneApart error =
      do_apart([]() -> std::string { throw Error(ErrorKind::bad_input, "model.onnx: no such thing"); }, 30s);
  EXPECT_EQ(error.end, End::refused);
  EXPECT_EQ(error.reason, "model.onnx: no such thing");
  const DoneApart number = do_apart([]() -> std::string { throw 7; }, 30s);
  EXPECT_EQ(number.end, End::refused);
  EXPECT_EQ(number.reason, "an exception of an unknown type");
}

TEST(Apart, a_copy_that_hangs_is_ended_at_the_limit) {
  const auto before = std::chrono::steady_clock::now();
  const DoneApart done = do_apart(
      []() -> std::string {
        for (;;) std::this_thread::sleep_for(1s);
      },
      100ms);
  EXPECT_EQ(done.end, End::late);
  EXPECT_EQ(done.reason, "no answer within 100 ms");
  EXPECT_GE(std::chrono::steady_clock::now() - before, 100ms);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 20s);
  expect_no_child_is_left();
}

TEST(Apart, the_copy_writes_nothing_to_the_terminal) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  do_apart(
      [] {
        std::cout << "out" << std::endl;
        std::cerr << "err" << std::endl;
        return std::string();
      },
      30s);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace takt
