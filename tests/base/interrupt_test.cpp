#include "base/system/interrupt.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <thread>

#include "base/basics/leftovers.h"
#include "base/files/file.h"
#include "base/files/sudden_end.h"
#include "base/files/temporary_folder.h"
#include "base/system/child_process.h"
#include "base/system/watched_work.h"
#include "test_folder.h"

// Each case is a process of its own, which ends.
namespace takt {
namespace {

using namespace std::chrono_literals;
using testing::ExitedWithCode;

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(1h);
}

class EndBySignal : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

using InterruptEnds = EndBySignal;

TEST_F(InterruptEnds, a_command_that_does_not_look_at_once) {
  EXPECT_EXIT(
      {
        end_by_signals();
        std::raise(SIGTERM);
        hang();
      },
      ExitedWithCode(143), "^takt: interrupted\n$");
}

TEST_F(InterruptEnds, a_command_that_looks_by_its_own_code) {
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        std::raise(SIGINT);
        while (!interrupt.requested()) std::this_thread::sleep_for(1ms);
        std::_Exit(exit_code(0));
      },
      ExitedWithCode(130), "^$");
}

TEST_F(InterruptEnds, a_command_that_has_no_other_end_well) {
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt(Interrupt::Means::done);
        std::raise(SIGINT);
        std::_Exit(exit_code(0));
      },
      ExitedWithCode(0), "^$");
}

TEST_F(InterruptEnds, what_never_comes_back_with_the_step_that_it_was_at) {
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        begin_step("running it");
        std::raise(SIGTERM);
        hang();
      },
      ExitedWithCode(143),
      "^takt: stopping after this run; a second signal stops it immediately\ntakt: interrupted at running it: it did "
      "not return within a second and was abandoned\n$");
}

TEST_F(InterruptEnds, nothing_that_is_put_together_before_a_second_signal) {
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        std::raise(SIGINT);
        interrupt.work_is_over();
        std::this_thread::sleep_for(1500ms);
        std::_Exit(7);
      },
      ExitedWithCode(7), "^$");
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        std::raise(SIGINT);
        interrupt.work_is_over();
        std::this_thread::sleep_for(150ms);
        std::raise(SIGINT);
        hang();
      },
      ExitedWithCode(130), "^takt: interrupted\n$");
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        std::raise(SIGTERM);
        std::raise(SIGTERM);  // as 'timeout' does, to the program and to its group
        std::this_thread::sleep_for(150ms);
        std::_Exit(exit_code(0));
      },
      ExitedWithCode(143), "^$");
}

TEST_F(InterruptEnds, what_can_be_cancelled_by_cancelling_it) {
  EXPECT_EXIT(
      {
        end_by_signals();
        const Interrupt interrupt;
        std::atomic<bool> is_cancelled{false};
        const CancelledByInterrupt cancelled([&] { is_cancelled = true; });
        {
          const CancelledByInterrupt gone([] { std::_Exit(1); });
        }
        std::raise(SIGINT);
        while (!is_cancelled) std::this_thread::sleep_for(1ms);
        std::_Exit(7);
      },
      ExitedWithCode(7), "stopping after this run; Ctrl-C again stops it immediately");
}

TEST_F(InterruptEnds, what_hangs_after_main_has_returned) {
  EXPECT_EXIT(
      {
        end_by_signals();
        { const Interrupt interrupt; }
        std::raise(SIGTERM);
        exit_code(0);
        hang();
      },
      ExitedWithCode(143), "");
}

TEST_F(InterruptEnds, files_that_have_no_name_yet_and_children_with_it) {
  // The process that ends runs this test from its beginning: it has to find the same folder.
  constexpr const char* variable = "TAKT_TEST_INTERRUPT_FOLDER";
  std::optional<TemporaryFolder> made;
  if (std::getenv(variable) == nullptr) ::setenv(variable, made.emplace("takt-interrupt").path().c_str(), 1);
  const std::filesystem::path folder = std::getenv(variable);
  const auto note = (folder / "child").string();
  EXPECT_EXIT(
      {
        end_by_signals();
        ::setenv("TMPDIR", folder.c_str(), 1);
        AtomicFile file(folder / "result");
        file.append("half");
        const TemporaryFolder inner("takt-inner");
        write_file_atomically(inner.path() / "big", "x");
        ChildProcess child({"/bin/sh", "-c", "echo $$; exec sleep 1000"}, "");
        std::string id;
        child.next(id, 60s);
        write_file_atomically(note, id);
        std::raise(SIGTERM);
        hang();
      },
      ExitedWithCode(143), "");
  ::unsetenv(variable);
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files += entry.path() != note;
  EXPECT_EQ(files, 0);
  EXPECT_EQ(::kill(static_cast<pid_t>(std::stol(read_file(note))), 0), -1) << "the child is gone and reaped";
}

TEST(SuddenEnd, clears_what_was_started_before_files) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TestFolder folder;
  const auto file = folder / "unfinished";
  EXPECT_EXIT(
      {
        write_file_atomically(file, "x");
        const Leftover leftover(file);
        at_sudden_end([&] { std::fputs(std::filesystem::exists(file) ? "still there" : "gone too early", stderr); });
        end_suddenly(5);
      },
      ExitedWithCode(5), "^still there$");
}

}  // namespace
}  // namespace takt
