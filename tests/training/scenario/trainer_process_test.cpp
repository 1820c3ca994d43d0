// The conversation with a training in its own process, with scripts in its place.
#include "training/scenario/trainer_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/basics/error.h"
#include "test_folder.h"

namespace takt {
namespace {

using testing::HasSubstr;

class TrainerProcess : public testing::Test {
 protected:
  /// A program that prints `lines` and ends with `code`.
  std::string program(const std::vector<std::string>& lines, int code = 0) {
    std::string script = "#!/bin/sh\ncat > /dev/null\n";
    for (const std::string& line : lines) script += "cat <<'END_OF_LINE'\n" + line + "\nEND_OF_LINE\n";
    script += "exit " + std::to_string(code) + "\n";
    const auto path = folder_.write("trainer", script);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path.string();
  }
  std::string failure_of(const std::string& program) {
    try {
      run_trainer(program, {}, nullptr, [](int, int) {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TestFolder folder_;
};

TrainingRun some_run() {
  TrainingRun run;
  run.step_times = {Nanoseconds(7), Nanoseconds(9)};
  run.data_waits = {Nanoseconds(1), Nanoseconds(2)};
  run.trace_file = "t \"1\".json";
  run.device = "cpu";
  run.torch_version = "1.2";
  run.profiler = "kineto";
  run.last_loss = 2.5;
  return run;
}

TEST_F(TrainerProcess, tells_its_steps_and_its_result) {
  std::vector<std::pair<int, int>> heard;
  const auto run =
      run_trainer(program({step_line(1, 2), "a library says something", step_line(2, 2), result_line(some_run())}), {},
                  nullptr, [&](int done, int total) { heard.emplace_back(done, total); });
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->step_times, some_run().step_times);
  EXPECT_EQ(run->data_waits, some_run().data_waits);
  EXPECT_EQ(run->trace_file, "t \"1\".json");
  EXPECT_DOUBLE_EQ(run->last_loss, 2.5);
  EXPECT_THAT(heard, testing::ElementsAre(std::pair(1, 2), std::pair(2, 2)));
}

TEST_F(TrainerProcess, a_failure_is_told_in_its_own_words) {
  EXPECT_THAT(failure_of(program({step_line(1, 2), error_line("no \"memory\" left")}, 1)),
              HasSubstr("no \"memory\" left"));
  EXPECT_THAT(failure_of(program({step_line(1, 2)}, 3)), HasSubstr("exit code 3"));
  EXPECT_THAT(failure_of(program({R"({"step_times_ns": [1], "data_waits_ns": []})"})), HasSubstr("cannot be read"));
  TrainingRun empty = some_run();
  empty.step_times.clear();
  empty.data_waits.clear();
  EXPECT_THAT(failure_of(program({result_line(empty)})), HasSubstr("did not report the times of its steps"));
  EXPECT_NE(failure_of((folder_ / "nothing").string()), "");
}

TEST_F(TrainerProcess, ends_with_the_flag) {
  const std::atomic<bool> stop = true;
  EXPECT_FALSE(run_trainer(program({step_line(1, 2)}), {}, &stop, [](int, int) {}).has_value());
}

}  // namespace
}  // namespace takt
