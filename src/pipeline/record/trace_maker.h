// The events of a run's trace, one after the other: for who wants all of them in memory, and for who writes them piece
// by piece.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/record/pipeline_run.h"
#include "trace/events/trace.h"

namespace takt {

/// Makes what PipelineRun's to_trace() describes. Not thread-safe.
class TraceMaker {
 public:
  /// `run` fits its shape (run_check.h) and must outlive this. The trace has its process, rows, base and provenance.
  explicit TraceMaker(const PipelineRun& run);

  /// Adds the events that come next by their start: `least` of them or more, so that the next one starts later; all
  /// that are left where those are fewer. False: there was none.
  bool add_events(std::size_t least);
  /// No event of the whole trace has several arrows.
  bool one_arrow_each() const;
  ProcessId process() const { return process_; }
  Trace& trace() { return trace_; }

 private:
  /// Rows of one place where executions overlap: each takes the first row that is free.
  struct Place {
    std::string name;
    std::vector<RowId> rows;
    std::vector<Nanoseconds> free_at;
  };
  /// What an execution takes of its row: its own span and those of its copies.
  struct Block {
    std::size_t execution = 0;
    Nanoseconds start{}, end{};
  };

  void add_rows();
  std::vector<Block> blocks_with_copies() const;
  void lay_out(const Block& block);
  Nanoseconds next_start() const;
  bool next_is_copy() const;
  void add_execution(std::size_t number);
  void add_copy(std::size_t number);
  std::uint64_t arrow(const Execution& what, std::size_t number) const;
  std::size_t ways_into(int stage) const;
  std::size_t ways_onward(int stage) const;
  void add_arrows(EventId event, const Execution& what);
  void add_arrows_onward(EventId event, const Execution& what);

  const PipelineRun& run_;
  Trace trace_;
  ProcessId process_{};
  std::vector<Place> places_;  ///< the host, then the devices
  FlowWays ways_;
  std::vector<std::size_t> copied_;    ///< by copy, its execution
  std::vector<std::uint32_t> row_of_;  ///< by execution, in its place
  std::vector<std::size_t> first_arrow_;
  std::size_t arrows_per_batch_ = 0;
  std::size_t next_execution_ = 0, next_copy_ = 0;
};

}  // namespace takt
