#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "trace/read/reader.h"
#include "training/diagnosis/tables.h"
#include "training/scenario/tables.h"

namespace takt {
namespace {

constexpr int few_steps = 5;

struct ScenarioOptions {
  std::string positional, scenario = "dataloader", strength = "strong";
  ScenarioSettings settings;
  std::filesystem::path trace_dir = "results/traces/profiler_demo";
  std::filesystem::path output_json = "results/metrics_demo.json";
  bool diagnoses = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(ScenarioOptions& o) {
  CommandLine line(
      "scenario",
      "Trains a small convolutional network with one injected performance problem under libtorch's profiler, and "
      "writes its trace and metrics. The problems: dataloader (the loop waits for batches), sync (values are read back "
      "in the middle of each step), tiny_ops (long chains of tiny operators), memory_churn (temporaries are allocated "
      "all the time). Needs a build with libtorch (-DTAKT_WITH_TORCH=ON).",
      "takt scenario sync --device cpu --batch-size 16", o.log);
  ScenarioSettings& s = o.settings;
  const auto number = [&](const char* names, const char* meaning, int& target, double low, double high) {
    line.add({.names = names,
              .value = "N",
              .meaning = meaning,
              .fallback = std::to_string(target),
              .range = NumberRange{low, high}},
             &target);
  };
  line.add(
      {.names = "SCENARIO", .meaning = "The injected problem", .fallback = "dataloader", .one_of = scenario_names()},
      &o.positional);
  line.add({.names = "--scenario",
            .value = "NAME",
            .meaning = "The same as SCENARIO",
            .fallback = o.scenario,
            .one_of = scenario_names()},
           &o.scenario);
  line.add({.names = "--device",
            .value = "NAME",
            .meaning = "The device to train on",
            .fallback = s.device,
            .one_of = {"cuda", "cpu"}},
           &s.device);
  number("--batch-size", "Images per step", s.batch_size, 1, 65536);
  number("--num-workers", "Threads that load batches; with 0 the loop loads them itself", s.num_workers, 0, 256);
  number("--warmup-steps", "Steps before the profiler's schedule begins", s.warmup_steps, 0, 1'000'000);
  number("--profile-steps", "Recorded steps, after one skipped step and one warm-up step", s.profile_steps, 1,
         1'000'000);
  line.add({.names = "--trace-dir",
            .value = "DIR",
            .meaning = "Put the trace, HOST_PID.TIME.pt.trace.json, into DIR",
            .fallback = o.trace_dir.string()},
           &o.trace_dir);
  line.add({.names = "--save",
            .older = "--output-json",
            .value = "FILE",
            .meaning = "Write the metrics to FILE; an empty name writes none",
            .fallback = o.output_json.string(),
            .makes = Makes::unasked_file},
           &o.output_json);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of weights, images and labels", .fallback = "42"},
           &s.seed);
  line.add({.names = "--pin-memory", .meaning = "Put batches into pinned memory (needs a GPU)"}, &s.pin_memory);
  line.add({.names = "--amp", .meaning = "Mixed precision: float16 with a scaled gradient, on the CPU bfloat16"},
           &s.amp);
  line.add({.names = "--with-stack", .meaning = "Record the call stack of each operator"}, &s.with_stack);
  line.add({.names = "--strength",
            .value = "WORD",
            .meaning = "Strength of the problem; none is the same training without it",
            .fallback = o.strength,
            .one_of = fault_strength_names()},
           &o.strength);
  number("--image-size", "Images are 3 x N x N", s.image_size, 8, 1024);
  number("--width", "Channels of the first convolution", s.width, 1, 1024);
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads of operators on the CPU",
            .fallback = "libtorch's choice",
            .range = NumberRange{1, 1024}},
           &s.threads);
  line.add({.names = "--diagnose", .meaning = "Also print what 'takt diagnose' finds in the trace"}, &o.diagnoses);
  add_output(line, o.output, table_names("scenario"));
  return line;
}

ScenarioSettings settings_of(const ScenarioOptions& o) {
  ScenarioSettings settings = o.settings;
  settings.scenario = scenario_named(lower_case(o.positional.empty() ? o.scenario : o.positional));
  settings.device = lower_case(settings.device);
  settings.strength = fault_strength_named(lower_case(o.strength));
  check(settings);
  if (settings.profile_steps < few_steps)
    log_warning(
        fmt::format("{} recorded steps are few: a typical step needs at least {}", settings.profile_steps, few_steps));
  return settings;
}

/// As TensorBoard's plugin wants it: WORKER.TIME.pt.trace.json.
std::filesystem::path trace_path(const std::filesystem::path& folder) {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  std::string name = host[0] == '\0' ? "host" : host;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return folder / fmt::format("{}_{}.{}.pt.trace.json", name, ::getpid(),
                              std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
}

int run(ScenarioOptions& o, Arguments arguments) {
  TrainerTask task;
  task.settings = settings_of(o);
  const std::string program = trainer_program();
  make_folders(o.trace_dir);
  if (!o.output_json.empty()) make_folders(std::filesystem::absolute(o.output_json).parent_path());
  task.trace_file = trace_path(o.trace_dir).string();

  const Interrupt interrupt;
  std::optional<TrainingRun> run;
  {
    Progress bar(fmt::format("{} training", name_of(task.settings.scenario)));
    run = run_trainer(program, task, &interrupt.requested(), [&](int done, int total) {
      bar.update(static_cast<std::uint64_t>(done), static_cast<std::uint64_t>(total));
    });
  }
  interrupt.work_is_over();
  if (!run) throw Error(ErrorKind::runtime, "stopped before the training ended: there is no trace");
  const NamedTrace trace{run->trace_file, read_trace(run->trace_file)};
  const ScenarioOutcome outcome{task.settings, o.trace_dir.string(), *run, key_figures(trace.read.trace)};
  const OperatorTimes operators = operator_times(trace.read.trace);
  const Provenance provenance = provenance_of("scenario", arguments);
  std::string text = scenario_text(outcome, operators, o.output.style());
  text += fmt::format("\nTrace: {}\n", printable(run->trace_file));
  if (!o.output_json.empty()) {
    write_file_atomically(o.output_json, metrics_json(outcome, provenance));
    text += fmt::format("Metrics: {}\n", printable(o.output_json.string()));
  }
  if (o.diagnoses) text += "\n" + diagnosis_text(diagnose({trace}), o.output.style());
  print(o.output, scenario_tables(outcome, operators), provenance, text);
  return 0;
}

}  // namespace

constinit const Command scenario_command =
    command<ScenarioOptions, declare, run>("scenario", "run a training with an injected performance problem");

}  // namespace takt
