// What takt and a training tell each other: the task, and the lines that come back.
#include "refused.h"
#include "training/scenario/trainer_process.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::may_refuse([&] {
    const takt::TrainerTask task = takt::parse_trainer_task(text);
    if (takt::to_json(takt::parse_trainer_task(takt::to_json(task))) != takt::to_json(task)) std::abort();
  });
  takt::may_refuse([&] {
    const takt::TrainerAnswer answer = takt::parse_trainer_line(text);
    if (!answer.run) return;
    const std::string line = takt::result_line(*answer.run);
    if (takt::result_line(*takt::parse_trainer_line(line).run) != line) std::abort();
  });
  return 0;
}
