// Samples joined to operators: one row per executed operator (a kernel that the runtime fused stands for several
// operators of the model), and the rest of the measured time as `unattributed`, so that the table adds up exactly.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/basics/units.h"
#include "base/statistics/statistics.h"
#include "measure/open/run_result.h"
#include "model/graph/graph.h"

namespace takt {

struct OpRow {
  std::string name, type;  ///< of the model's operator; of a fused kernel, the one with most of the work
  std::string node;        ///< the runtime's own name of it
  std::string kernel;      ///< the runtime's implementation; empty if it does not tell
  std::string node_type;   ///< the runtime's own word for what it does; empty if it does not tell
  std::string provider;    ///< see ExecutedNode
  std::optional<ElementType> computed_in;  ///< see ExecutedNode
  std::vector<std::string> model_ops;      ///< operators of the model that this kernel stands for, by path
  std::string leader;                      ///< that of them which the runtime says it is; empty: not told
  bool is_settled = false;                 ///< see ExecutedNode
  std::int64_t calls = 0;                  ///< over all profiled runs
  Nanoseconds total{};                     ///< over all profiled runs
  Nanoseconds record_cost{};               ///< of `total`, what its records cost; 0 without a plain pass
  std::optional<Duration> plain_mean;      ///< per run, unobserved (plain_times.h); missing without a plain pass
  Interval plain_interval;                 ///< of plain_mean, in us
  bool plain_from_records = false;         ///< the plain runs cannot tell it, so it is the recorded time in proportion
  std::vector<Nanoseconds> samples;        ///< one per profiled run (0 where it did not execute)
  std::optional<double> flops;             ///< of one run: sum over model_ops; nullopt if one is not known
  std::optional<double> sfu_ops;
  std::optional<std::int64_t> bytes;  ///< of one run: into, out of, and constants of the group, each tensor once
  std::optional<std::int64_t> constant_bytes;  ///< of `bytes`, those of weights; where `bytes` is known from the model
  std::vector<std::string> inputs, outputs;    ///< tensors that enter and leave the group, constants included
  std::vector<Shape> input_shapes, output_shapes;  ///< empty where not known
  std::string runtime, device;
};

struct OpProfile {
  std::vector<OpRow> ops;  ///< in order of first execution
  std::int64_t runs = 0;
  Nanoseconds measured{};      ///< Σ of the profiled runs' own times
  Nanoseconds unattributed{};  ///< measured − Σ ops.total; negative when operators overlap
  std::vector<Nanoseconds> unattributed_samples;
  Nanoseconds recording{};                     ///< Σ ops.record_cost
  std::optional<Duration> plain_mean;          ///< of the plain runs; missing without them
  std::optional<Duration> plain_unattributed;  ///< plain_mean − Σ ops.plain_mean
  /// Share of Σ ops.total in rows whose FLOPs, bytes and output shapes are all known; 0..1.
  double known_share = 0;
};

/// Needs `result.profiled`. Σ ops.total + unattributed == measured, in integer nanoseconds.
OpProfile profile_ops(const RunResult& result);

/// The index of the run whose measured time is the (lower) median.
std::size_t median_run(const std::vector<Nanoseconds>& samples);

}  // namespace takt
