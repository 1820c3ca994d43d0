#include "predict/collect/process.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/child_process.h"
#include "predict/collect/bench.h"

namespace takt {
namespace {

CollectRecord lost_record(const CollectTask& task, std::string reason) {
  CollectRecord record;
  record.model = task.model.filename().string();
  record.round = task.round;
  record.reason = std::move(reason);
  return record;
}

}  // namespace

std::optional<CollectRecord> run_collect_process(const std::vector<std::string>& command, const CollectTask& task,
                                                 Nanoseconds limit, const std::atomic<bool>* stop,
                                                 const std::function<void()>& when_ready) {
  CollectTask asked = task;
  asked.parent = static_cast<int>(::getpid());
  asked.waits = static_cast<bool>(when_ready);
  ChildProcess child(command, to_json(asked) + "\n",
                     asked.waits ? ChildProcess::Input::open : ChildProcess::Input::whole);
  std::string line;
  auto answer = child.next(line, limit, stop);
  if (asked.waits && answer == ChildProcess::Answer::line && line == collect_ready_word) {
    when_ready();
    child.tell("go");
    answer = child.next(line, limit, stop);
  }
  switch (answer) {
    case ChildProcess::Answer::line: {
      CollectRecord record = parse_collect_record(line, "answer of collect's worker process");
      if (record.model != task.model.filename().string() || record.round != task.round)
        refuse_input(fmt::format("collect's worker process answered for '{}' instead of '{}'", printable(record.model),
                                 printable(task.model.string())));
      return record;
    }
    case ChildProcess::Answer::late:
      return lost_record(task, fmt::format("no answer within {}: its process was killed", format_duration(limit)));
    case ChildProcess::Answer::stopped:
      return std::nullopt;
    case ChildProcess::Answer::ended:
      break;
  }
  return lost_record(task, reason_of_end(child, "the worker process"));
}

}  // namespace takt
