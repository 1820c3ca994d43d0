#include "predict/collect/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "base/basics/error.h"
#include "base/basics/shard.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "cli/line/output.h"
#include "cli/line/tables.h"
#include "cli/line/worker.h"
#include "cli/machine/load_options.h"
#include "cli/predict/predict_options.h"
#include "predict/answer/tables.h"
#include "predict/collect/bench.h"

namespace takt {
namespace {

struct CollectOptions {
  std::filesystem::path config;
  std::vector<std::filesystem::path> models;
  std::filesystem::path out = default_dataset;
  std::optional<int> rounds, threads;
  std::optional<std::uint64_t> seed;
  std::string time, shard, device;
  std::optional<int> stress;
  bool accept_disturbed = false;
  OutputOptions output;
  LogOptions log;
};

CommandLine declare(CollectOptions& o) {
  const CollectSettings usual;
  CommandLine line("collect",
                   "Measures the models of a zoo kernel by kernel, each kernel inside its model, and writes the "
                   "dataset that 'takt fit' trains on. Every model is measured in several rounds, each in a separate "
                   "process and in random order. Measurements are saved at once, so that a stopped collection resumes. "
                   "'takt collect merge A.csv B.csv -o ALL.csv' merges datasets.",
                   "takt collect --models zoo -o dataset.csv", o.log);
  line.add({.names = "--config", .value = "FILE", .meaning = "A YAML file with models and settings (docs/formats.md)"},
           &o.config);
  line.add({.names = "--models",
            .value = "PATH",
            .meaning = "A folder with .onnx files, or a model; may be given several times",
            .names_a_file = true},
           &o.models);
  line.add({.names = "-o,--output",
            .value = "FILE",
            .meaning =
                "The dataset, compressed if it ends in .gz; the journal of what was measured is next to it, FILE.jsonl",
            .fallback = default_dataset,
            .makes = Makes::unasked_file,
            .beside = ".jsonl"},
           &o.out);
  line.add({.names = "--rounds",
            .value = "N",
            .meaning = "How often each model is measured; with two or more, the dataset contains its noise",
            .fallback = std::to_string(usual.rounds),
            .range = NumberRange{1, 1000}},
           &o.rounds);
  line.add({.names = "--time",
            .value = "DURATION",
            .meaning = "How long each model runs per round, once with profiling of its kernels and once without",
            .fallback = "1s"},
           &o.time);
  line.add({.names = "--device",
            .value = "NAME",
            .meaning = "Device to measure: CPU, or GPU (NVIDIA, through ONNX Runtime's CUDA provider)",
            .fallback = usual.device},
           &o.device);
  line.add({.names = "--threads",
            .value = "N",
            .meaning = "Threads of each session; a predictor is valid for one number of threads",
            .fallback = std::to_string(usual.threads),
            .range = NumberRange{1, 4096}},
           &o.threads);
  line.add({.names = "--stress",
            .value = "N",
            .meaning = "Also measure each model under N loads, a random choice of kinds, levels and threads (--config "
                       "lists them); 0: under all of them",
            .range = NumberRange{0, 1000}},
           &o.stress);
  line.add({.names = "--shard",
            .value = "I/N",
            .meaning = "Measure only shard I of N; all shards together are the collection"},
           &o.shard);
  line.add({.names = "--seed", .value = "N", .meaning = "Seed of the order and of the inputs", .fallback = "1"},
           &o.seed);
  line.add({.names = "--accept-disturbed",
            .meaning = "Keep measurements during which other programs used the CPU: for tests on busy machines"},
           &o.accept_disturbed);
  add_output_format(line, o.output, table_names("collect"));
  return line;
}

CollectSettings settings_of(const CollectOptions& o) {
  if (o.config.empty() && o.models.empty())
    throw UsageError("collect: nothing to measure; name a folder with --models, or a file with --config");
  CollectSettings settings = o.config.empty() ? CollectSettings{} : read_collect_config(o.config);
  if (!o.models.empty()) settings.models = o.models;
  settings.models = models_to_collect(settings.models);
  settings.out = o.out;
  settings.rounds = o.rounds.value_or(settings.rounds);
  settings.threads = o.threads.value_or(settings.threads);
  if (!o.device.empty()) settings.device = o.device;
  settings.seed = o.seed.value_or(settings.seed);
  if (!o.time.empty()) settings.time = duration_for("collect", "--time", o.time, std::chrono::milliseconds(1));
  if (o.stress && !settings.stress) settings.stress.emplace();
  if (o.stress) settings.stress->per_model = *o.stress;
  if (o.accept_disturbed) settings.most_run_delay = settings.most_canary = 1e6;
  settings.shard = shard_in(o.shard, "collect");
  settings.child = words_of(worker_collect_command);
  settings.stress_child = words_of(worker_stress_command);
  return settings;
}

int run_collect_worker(Arguments) {
  std::string task;
  std::getline(std::cin, task);
  const auto wait = [] {
    std::string word;
    std::getline(std::cin, word);
  };
  return run_collect_task(
      task, [](const std::string& line) { tell_line(line); }, wait);
}

std::string text_of(const CollectOptions& o, const Collection& collection) {
  const auto is_quiet = [](const CollectedRow& row) { return row.load.empty(); };
  std::vector<CollectedRow> quiet;
  std::copy_if(collection.rows.begin(), collection.rows.end(), std::back_inserter(quiet), is_quiet);
  std::string text = to_text(without_empty_columns(collect_tables(quiet).front()), o.output.style());
  const ByLoad parts = divided_by_load(collection.dataset);
  text += fmt::format("\n{} kernels of {} models in {}\n", parts.quiet.kernel_count(), parts.quiet.models.size(),
                      printable(o.out.string()));
  if (!parts.loaded.models.empty())
    text += fmt::format("and {} measurements of them under load (--format csv has a row for each)\n",
                        parts.loaded.models.size());
  return text;
}

std::string why_none(const Collection& collection) {
  int disturbed = 0, failed = 0;
  for (const CollectedRow& row : collection.rows) disturbed += row.disturbed, failed += row.failed;
  if (failed > 0 || disturbed == 0) return "; the table says why";
  return fmt::format(
      ": {} measurement{} discarded because other programs used the CPUs; stop them, or keep such "
      "measurements with --accept-disturbed",
      disturbed, disturbed == 1 ? " was" : "s were");
}

int run(CollectOptions& o, Arguments arguments) {
  CollectSettings settings = settings_of(o);
  const Provenance provenance = provenance_of("collect", arguments);
  if (!o.out.parent_path().empty()) make_folders(o.out.parent_path());
  check_writable_file(o.out);
  const Interrupt interrupt;
  settings.stop = &interrupt.requested();
  Collection collection;
  BusyWatch watch;
  {
    Progress bar("measuring models");
    settings.progress = [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); };
    collection = collect(settings);
  }
  for (const std::string& damage : collection.damage) log_warning(damage);
  interrupt.work_is_over();
  watch.tell();
  if (!collection.dataset.models.empty()) write_dataset(collection.dataset, o.out);
  const auto tables = collect_tables(collection.rows);
  print(o.output, tables, provenance, text_of(o, collection));
  if (collection.dataset.models.empty())
    throw Error(ErrorKind::runtime, "no model could be measured" + why_none(collection));
  return 0;
}

}  // namespace

constinit const Command worker_collect_command{"worker collect", "", run_collect_worker};
constinit const Command collect_command =
    command<CollectOptions, declare, run>("collect", "collect per-kernel training data for the predictor");

}  // namespace takt
