// Measured kernels of models: what a predictor learns from. A CSV file, a row per kernel in its model:
//
//   Kernel_ID,OpType,Input_Shape,others_busy,…,Latency_ms,Model,Architecture,…,flops,…
//
// The first columns are fixed, metrics of the load come before the latency; behind it stand the model with its own time
// (the same in all of its rows of one load), provenance and the features of kernel_facts.h. An empty cell is a missing
// value.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "predict/fit/kernel_facts.h"
#include "predict/fit/load_state.h"
#include "predict/fit/machine_constants.h"

namespace takt {

/// Activity of other programs during a measurement; nullopt: the system does not report it.
struct LoadReadings {
  AskedLoad asked;                    ///< of a stressor
  std::optional<double> others_busy;  ///< processors that others used, of those this process may use, as a share
  std::optional<double> run_delay;    ///< time that the process waited for a processor, over the time it had one
  std::optional<double> steal;        ///< processors given to other virtual machines, as a share
  std::optional<double> canary;       ///< pace of the machine (pace.h); times are divided by it. Beside loads 1
  SeenLoad seen;                      ///< before the measurement; empty: nobody looked
};

struct CollectedKernel {
  KernelFacts facts;
  std::string kernel;           ///< name of the runtime's node
  double latency_ms = 0;        ///< the middle round's mean time in the model, as recorded: a record's cost is in it
  std::optional<double> noise;  ///< mean of |round / mean of the other rounds − 1|; needs two rounds
};

struct CollectedModel {
  std::string model;                 ///< file name
  std::string architecture, family;  ///< what splits keep together; of models that do not say, the file's name
  std::string runtime, runtime_version, device, machine;
  std::string takt_version, measured_at;  ///< of the first round; measured_at: UTC, ISO 8601. Empty: not told
  int threads = 1, rounds = 1;
  MachineConstants constants;
  LoadReadings load;
  double latency_ms = 0;             ///< of the whole inference, without records of kernels
  std::optional<double> noise;       ///< as of a kernel
  std::optional<double> io_bytes{};  ///< of the model's inputs and outputs together
  std::vector<CollectedKernel> kernels;
};

struct Dataset {
  std::vector<CollectedModel> models;

  std::size_t kernel_count() const;
};

/// The measurements on an idle machine and those under load.
struct ByLoad {
  Dataset quiet, loaded;
};
ByLoad divided_by_load(Dataset dataset);

std::string dataset_csv(const Dataset& dataset);

/// Throws Error(bad_input), "WHERE:LINE: what is wrong; what to do": columns that are missing, unknown or in another
/// order, cells that are no numbers, times that are not above zero, rows of one model that say different things of it.
Dataset parse_dataset(std::string_view csv, std::string_view where);
/// From a file, gzip or not. Throws Error(io), too, as write_dataset() does.
Dataset read_dataset(const std::filesystem::path& path);
/// Seen whole or not at all; compressed for NAME.gz. Equal datasets give equal bytes.
void write_dataset(const Dataset& dataset, const std::filesystem::path& path);

}  // namespace takt
