#include "plan/sweep/stage_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/child_process.h"

namespace takt {
namespace {

StageKey key_of(const StageTask& task, std::size_t place) {
  const GraphSize& size = task.sizes[place];
  return {size.nodes, size.edges, task.unit, task.stage.first, task.stage.last};
}

/// The row that was under way when its process ended or was ended.
StageRecord lost_row(const StageTask& task, std::size_t place, std::string reason) {
  StageRecord record{task.stage.network, task.device, {}};
  record.row.key = key_of(task, place);
  record.row.status = StageStatus::failed;
  record.row.reason = std::move(reason);
  return record;
}

}  // namespace

std::size_t run_stage_process(const std::vector<std::string>& command, const StageTask& task,
                              const StageProcessLimits& limits, const std::function<void(const StageRecord&)>& keep) {
  StageTask asked = task;
  asked.parent = static_cast<int>(::getpid());
  ChildProcess child(command, to_json(asked));
  std::size_t done = 0;
  std::string line;
  while (done < task.sizes.size()) {
    switch (child.next(line, limits.row, limits.stop)) {
      case ChildProcess::Answer::line: {
        const StageRecord record = parse_stage_record(line, "answer of a worker process");
        if (record.row.key != key_of(task, done))
          refuse_input(fmt::format("a worker process answered with row {} instead of {}", to_string(record.row.key),
                                   to_string(key_of(task, done))));
        keep(record);
        ++done;
        break;
      }
      case ChildProcess::Answer::late:
        keep(lost_row(task, done,
                      fmt::format("no answer within {}: its process was stopped", format_duration(limits.row))));
        return done + 1;
      case ChildProcess::Answer::stopped:
        return done;
      case ChildProcess::Answer::ended:
        // A child that lost its device says so in a row and ends; one that told no row has crashed in it.
        if (done > 0 && child.end().code == 2) return done;
        keep(lost_row(task, done, reason_of_end(child, "the process that measured it")));
        return done + 1;
    }
  }
  return done;
}

}  // namespace takt
