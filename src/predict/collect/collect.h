// Collecting: every model of a zoo, several rounds, each in a fresh process, in an order drawn anew for every round, so
// that what the machine does over the hours hits no model more than another.
//
// What is measured is on disk at once (the journal beside the dataset), so a collection that was killed goes on where
// it was; a measurement during which others had the processor is set aside and made again.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/basics/shard.h"
#include "predict/collect/record.h"

namespace takt {

struct CollectJournal;  // src/predict/collect/journal.h

struct CollectSettings {
  std::vector<std::filesystem::path> models;
  std::filesystem::path out;  ///< the dataset; the journal is OUT.jsonl, that of a shard OUT.2-of-4.jsonl
  std::string runtime = "onnxruntime", device = "CPU";
  int threads = 1;
  int rounds = 3;  ///< more tell noise better; one is enough to learn from
  Duration time = std::chrono::seconds(1);
  double most_run_delay = 0.05;  ///< of the time it had a processor that a run may wait for one
  double most_canary = 1.5;      ///< times what the canary usually takes in this collection
  int retries = 2;               ///< of a measurement that was disturbed
  std::uint64_t seed = 1;
  Shard shard;
  Nanoseconds limit = std::chrono::minutes(10);  ///< of one model in one round
  std::vector<std::string> child;                ///< the command that does a task from its standard input
  std::optional<StressPlan> stress;              ///< models are measured beside these loads as well
  LoadConfig load = usual_load_config();         ///< how it is looked at before each measurement
  std::vector<std::string> stress_child;         ///< the command of a Stressor
  std::function<void(std::uint64_t done, std::uint64_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

/// A YAML file: models (folders and files, relative to it), rounds, time, threads, runtime, device, run_delay, canary,
/// retries, seed, stress (kinds, levels, threads, per_model, time), load. Throws Error(bad_input), "FILE:LINE: KEY: …".
CollectSettings parse_collect_config(const std::string& text, const std::string& origin);
CollectSettings read_collect_config(const std::filesystem::path& path);

/// The outcome of one model under one load.
struct CollectedRow {
  std::string model;
  std::string load;                             ///< beside which; empty: in quiet
  int measured = 0, disturbed = 0, failed = 0;  ///< rounds
  std::optional<double> latency_ms, noise;
  std::size_t kernels = 0;
  std::string reason;  ///< of the last failure; empty: none
};

struct Collection {
  Dataset dataset;                 ///< models with a measured round
  std::vector<CollectedRow> rows;  ///< every model that was tried
  /// Sentences on damaged lines of journals: what they said was measured again where it was asked for.
  std::vector<std::string> damage{};
};

/// All that journals hold.
Collection collection_of(const CollectJournal& journal);

/// How long a measurement beside a load takes.
Duration time_beside_loads(const CollectSettings& settings);

/// Measures what is missing and returns all that the journals of `out` hold. Throws Error(io), Error(bad_input) for
/// journals that were written with other settings or on another machine, and Error(runtime) when stopped.
Collection collect(const CollectSettings& settings);

/// The models of several datasets; each model once beside each load. Throws Error(bad_input).
Dataset merge_datasets(const std::vector<std::filesystem::path>& files);

/// Of the folders all .onnx files, sorted, and the files as they are. Throws Error(bad_input) for a folder without one
/// and for two files of one name.
std::vector<std::filesystem::path> models_to_collect(const std::vector<std::filesystem::path>& paths);

}  // namespace takt
