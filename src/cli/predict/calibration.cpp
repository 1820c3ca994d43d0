#include "cli/predict/calibration.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/temporary_folder.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "cli/line/commands.h"
#include "predict/answer/calibration.h"
#include "predict/answer/predictor_choice.h"
#include "predict/answer/predictor_file.h"
#include "predict/answer/shipped_predictors.h"
#include "predict/collect/collect.h"
#include "predict/collect/journal.h"
#include "predict/zoo/export.h"

namespace takt {
namespace {

using namespace std::chrono_literals;

constexpr auto time_to_measure = 90s;  // and half a minute for peaks, chains and arithmetic

/// Every fourth chain up to 215, as in examples/calibrate.yaml.
ZooConfig chains() {
  std::string depths = "3";
  for (int depth = 7; depth <= 215; depth += 4) depths += fmt::format(", {}", depth);
  return parse_zoo_config(fmt::format("models: [{{family: soup, depth: [{}]}}]", depths), "chains of the calibration");
}

/// What was measured until the time was over; the order is random, so it is a sample of all chains.
Dataset measured_chains(CollectSettings settings) {
  const Interrupt interrupt;
  std::atomic<bool> stop = false;
  const auto end = std::chrono::steady_clock::now() + time_to_measure;
  Progress bar("measuring this machine");
  settings.stop = &stop;
  settings.progress = [&](std::uint64_t done, std::uint64_t total) {
    bar.update(done, total);
    stop = interrupt.requested() || std::chrono::steady_clock::now() > end;
  };
  try {
    return collect(settings).dataset;
  } catch (const Error&) {
    if (!stop || interrupt.requested()) throw;
  }
  return collection_of(*read_collect_journals(settings.out)).dataset;
}

}  // namespace

void calibrate_this_machine(const std::string& device, const Provenance& provenance) {
  const ShippedPredictor* base = shipped_predictor_for(device);
  const std::filesystem::path path = calibrated_path(device);
  if (!base || path.empty())
    throw Error(ErrorKind::io,
                base ? "there is no folder to keep the calibration in; set TAKT_CACHE_DIR"
                     : fmt::format("no predictor is built in for device '{}'; use CPU or GPU", printable(device)));
  make_folders(path.parent_path());
  check_writable_file(path);
  const TemporaryFolder folder("takt");
  export_zoo(chains(), {.folder = folder.path()});
  CollectSettings settings;
  settings.models = models_to_collect({folder.path()});
  settings.out = folder.path() / "here.csv";
  settings.device = device, settings.rounds = 1, settings.time = 200ms;
  settings.child = words_of(worker_collect_command);
  const Dataset here = measured_chains(settings);
  if (here.models.size() < least_calibration_models)
    throw Error(ErrorKind::runtime,
                fmt::format("only {} of {} random chains could be measured in time, because other programs used the "
                            "processors; stop them and calibrate again",
                            here.models.size(), settings.models.size()));
  write_predictor(calibrated(read_predictor(*base), here), path, provenance);
  log_info(fmt::format("calibrated with {} chains; kept in {}", here.models.size(), printable(path.string())));
}

}  // namespace takt
