// takt-train: trains as it is told on standard input and answers in lines (training/scenario/trainer_process.h). `takt
// scenario` starts it.
#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "base/system/child_process.h"
#include "training/trainer/training.h"

namespace {

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  if (count > 1) {
    std::puts("takt-train: 'takt scenario' starts this program and passes its settings on standard input");
    return std::string(words[1]) == "--help" ? 0 : 2;
  }
  try {
    std::cin >> std::noskipws;
    const std::string told(std::istreambuf_iterator<char>(std::cin), {});
    const takt::TrainerTask task = takt::parse_trainer_task(told);
    takt::end_with_parent(task.parent);
    const takt::TrainingRun run = takt::train(task, [](int done, int total) { say(takt::step_line(done, total)); });
    say(takt::result_line(run));
    return 0;
  } catch (const std::exception& error) {
    std::string_view words_of_error = error.what();
    say(takt::error_line(words_of_error.substr(0, words_of_error.find('\n'))));  // libtorch adds its stack
    return 1;
  }
}
