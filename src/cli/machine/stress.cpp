#include <fmt/format.h>

#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/affinity.h"
#include "base/system/child_process.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/line/worker.h"
#include "cli/machine/load_options.h"
#include "predict/sources/tables.h"
#include "predict/stress/stress.h"

namespace takt {
namespace {

struct StressOptions {
  std::optional<double> cpu, memory, cache, gpu, gpu_copies;
  int gpu_device = 0, threads = 0;
  std::string duration = "60s";
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(StressOptions& o) {
  CommandLine line("stress",
                   "Generates CPU, memory, last-level-cache or GPU load at a given level for some time, and reports "
                   "the level that it achieved: a background for measurements. It stops when its parent process exits.",
                   "takt stress --cpu 50% --threads 2 --time 30s", o.log);
  const auto level = [&](const char* names, const char* meaning, std::optional<double>& target) {
    line.add({.names = names, .value = "PERCENT", .meaning = meaning, .range = NumberRange{0, 1}}, &target);
  };
  level("--cpu", "Compute for this share of the time on each thread, e.g. 50%", o.cpu);
  level("--memory", "Read memory beyond the caches for this share of the time", o.memory);
  level("--cache", "Occupy this part of the last-level cache by reading it without a pause", o.cache);
  level("--gpu", "Multiply matrices on the GPU for this share of the time, through the CUDA driver", o.gpu);
  level("--gpu-copies", "Copy between the host's memory and the GPU's for this share of the time", o.gpu_copies);
  line.add({.names = "--gpu-device",
            .value = "N",
            .meaning = "Load this GPU",
            .fallback = "0",
            .range = NumberRange{0, 1023}},
           &o.gpu_device);
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Load CPUs with N threads, each at the level",
            .fallback = "one per CPU",
            .range = NumberRange{1, 1024}},
           &o.threads);
  line.add({.names = "--time",
            .older = "--for,--duration",
            .value = "DURATION",
            .meaning = "Stop after this long",
            .fallback = o.duration},
           &o.duration);
  add_output(line, o.output, table_names("stress"));
  return line;
}

StressTask task_of(const StressOptions& o) {
  StressTask task;
  task.processors = {o.cpu.value_or(0), o.memory.value_or(0), o.cache.value_or(0)};
  task.gpu.levels = {o.gpu.value_or(0), o.gpu_copies.value_or(0)};
  task.gpu.device = o.gpu_device;
  task.threads = o.threads > 0 ? o.threads : usable_core_count();
  task.duration = positive_time(o.duration, "--time");
  if (!(o.cpu || o.memory || o.cache || o.gpu || o.gpu_copies))
    throw UsageError("stress: nothing to do; add --cpu 50%, --memory, --cache, --gpu or --gpu-copies");
  try {
    check_stress(task);
  } catch (const Error& error) {
    throw UsageError(fmt::format("stress: {}", error.what()));
  }
  return task;
}

int run_stress_worker(Arguments) {
  run_stress_child(whole_task(), tell_line);
  return 0;
}

int run(StressOptions& o, Arguments arguments) {
  const StressTask task = task_of(o);
  watch_parent();
  const Interrupt interrupt;
  StressEnd end;
  {
    Progress bar("stress");
    const Nanoseconds begin = steady_now();
    end = run_stress(task, &interrupt.requested(), [&](const StressWork& work) {
      bar.update(static_cast<std::uint64_t>((work.time - begin).count()),
                 static_cast<std::uint64_t>(task.duration.count()));
      return true;
    });
  }
  interrupt.work_is_over();
  const std::vector<Table> tables{stress_table(end.levels)};
  print(o.output, tables, provenance_of("stress", arguments), to_text(tables.front(), o.output.style()));
  if (!end.failure.empty()) throw Error(ErrorKind::runtime, "the load ended early: " + end.failure);
  return 0;
}

}  // namespace

constinit const Command worker_stress_command{"worker stress", "", run_stress_worker};
constinit const Command stress_command =
    command<StressOptions, declare, run>("stress", "generate CPU, memory or GPU load");

}  // namespace takt
