// What a program says that crashes inside of somebody else's code.
#include "base/basics/crash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/basics/check.h"
#include "places.h"
#include "test_folder.h"

namespace takt {
namespace {

const testing::ExitedWithCode one(1);

class Crashes : public testing::Test {
 protected:
  void SetUp() override {
    if (is_sanitized()) GTEST_SKIP() << "a sanitizer tells crashes itself";
  }
};

std::string sentence(const std::string& text) {
  std::string pattern = "^takt: ";
  for (const char c : text) pattern += c == '(' || c == ')' || c == '.' ? std::string("\\") + c : std::string(1, c);
  return pattern + "\n$";
}

const char* const advice = "; try another runtime, or another version of this one";

TEST_F(Crashes, a_call_that_crashes_is_one_sentence_and_exit_code_1) {
  const auto crash = [] {
    tell_crashes();
    const ForeignCall outer("outer");
    const ForeignCall call("m.onnx: someone", "running it");
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(
      crash(), one,
      sentence(std::string("m.onnx: someone: crashed (signal 11, segmentation fault) while running it") + advice));
}

TEST_F(Crashes, every_kind_of_crash_is_told) {
  for (const auto& [signal, words] : {std::pair(SIGABRT, "signal 6, aborted"),
                                      {SIGBUS, "signal 7, bus error"},
                                      {SIGFPE, "signal 8, arithmetic error"},
                                      {SIGILL, "signal 4, illegal instruction"}}) {
    const auto crash = [of = signal] {
      tell_crashes();
      const ForeignCall call("m.onnx: someone");
      ::raise(of);
    };
    EXPECT_EXIT(crash(), one, sentence(std::string("m.onnx: someone: crashed (") + words + ")" + advice));
  }
}

TEST_F(Crashes, a_call_that_is_over_is_not_blamed) {
  const auto crash = [] {
    tell_crashes();
    const ForeignCall outer("outer");
    { const ForeignCall call("inner"); }
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), one, sentence(std::string("outer: crashed (signal 11, segmentation fault)") + advice));
}

TEST_F(Crashes, without_a_call_it_may_be_anybodys_mistake) {
  const auto crash = [] {
    tell_crashes();
    std::abort();
  };
  EXPECT_EXIT(
      crash(), one,
      sentence("crashed (signal 6, aborted): a bug in takt or in a library; please report it with the command"));
}

TEST_F(Crashes, a_thread_of_somebody_elses_is_told_with_the_last_call) {
  const auto crash = [] {
    tell_crashes();
    const ForeignCall first("first");
    const ForeignCall in_flight("second", "running it", ForeignCall::Thread::any);
    std::thread([] { ::raise(SIGSEGV); }).join();
  };
  EXPECT_EXIT(crash(), one,
              sentence(std::string("second: crashed (signal 11, segmentation fault) while running it") + advice));
}

TEST_F(Crashes, an_exception_that_nobody_catches_is_told_with_its_words) {
  const auto crash = [] {
    tell_crashes();
    const ForeignCall call("m.onnx: someone");
    std::thread([] { throw std::runtime_error("no kernel\nof this kind"); }).join();
  };
  EXPECT_EXIT(crash(), one,
              sentence(std::string("m.onnx: someone: crashed (signal 6, aborted: no kernel of this kind)") + advice));
}

/// Until the stack is full; each call has something to keep.
int deeper(int depth) {
  volatile int kept = depth;
  return kept == 0 ? 0 : deeper(depth + 1) + kept;
}

TEST_F(Crashes, a_stack_that_is_full_is_told) {
  const auto crash = [] {
    tell_crashes();
    const ForeignCall call("m.onnx: someone");
    static_cast<void>(deeper(1));
  };
  const auto crash_on_a_thread = [] {
    tell_crashes();
    std::thread([] {
      const CrashStack stack;
      const ForeignCall call("m.onnx: someone");
      static_cast<void>(deeper(1));
    }).join();
  };
  const std::string told = sentence(std::string("m.onnx: someone: crashed (signal 11, segmentation fault)") + advice);
  EXPECT_EXIT(crash(), one, told);
  EXPECT_EXIT(crash_on_a_thread(), one, told);
}

TEST_F(Crashes, a_mistake_of_takts_own_is_told_once) {
  const auto crash = [] {
    tell_crashes();
    TAKT_CHECK(1 + 1 == 3);
  };
  EXPECT_EXIT(crash(), one, "^takt: [^\n]*'1 \\+ 1 == 3' does not hold[^\n]*\n$");
}

TEST_F(Crashes, nothing_is_left_of_files_that_were_under_way) {
  const TestFolder folder;
  const auto crash = [&] {
    tell_crashes();
    ::setenv("TMPDIR", folder.path().c_str(), 1);
    AtomicFile file(folder / "result.json");
    file.append("half of it");
    const TemporaryFolder temporary("takt");
    std::filesystem::create_directories(temporary.path() / "a" / "b");
    for (int i = 0; i < 300; ++i)  // more than one answer of the system
      AtomicFile(temporary.path() / "a" / ("a file with a long name, number " + std::to_string(i))).commit();
    AtomicFile(temporary.path() / "a" / "b" / "c").commit();
    write_file_atomically(folder / "whole.json", "whole");
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), one, "crashed");
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, testing::ElementsAre("whole.json"));
}

TEST_F(Crashes, more_calls_than_are_noted_do_no_harm) {
  std::vector<std::unique_ptr<ForeignCall>> calls;
  for (int i = 0; i < 100; ++i)
    calls.push_back(
        std::make_unique<ForeignCall>(std::string(1000, 'x'), std::string(1000, 'y'), ForeignCall::Thread::any));
}

TEST_F(Crashes, a_core_dump_can_be_had) {
  const auto crash = [] {
    ::setenv("TAKT_CORE_DUMP", "1", 1);
    tell_crashes();
    const ForeignCall call("m.onnx: someone");
    ::raise(SIGSEGV);
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGSEGV), "m.onnx: someone: crashed");
}

}  // namespace
}  // namespace takt
