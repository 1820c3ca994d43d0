// Traces of XLA's profiler (jax.profiler, torch_xla): no event has a category. What a row is stands in the names of its
// process and thread, and what an event is in its name and arguments.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/events/trace.h"

namespace takt {

enum class Role : std::uint8_t;
struct Activity;

enum class XlaRow : std::uint8_t {
  none,
  program,  ///< a thread of the program
  runtime,  ///< a thread of XLA's; without a device it computes there
  stream,   ///< of a device, or where that has none the row of its operations
  modules,  ///< the executions of a device, drawn around their operations
  summary,  ///< drawn from the others
};

class XlaRows {
 public:
  /// All rows are `none` unless the trace is of XLA's profiler.
  explicit XlaRows(const Trace& trace);

  bool is_xla() const { return !rows_.empty(); }
  bool has_device() const { return has_device_; }
  XlaRow row(RowId row) const { return rows_[static_cast<std::size_t>(row)]; }
  /// What an event of such a trace is about. Only if is_xla().
  Role role_of(const TraceEvent& event) const;

 private:
  Role role_in_program(const TraceEvent& event) const;

  const Trace& trace_;
  std::vector<XlaRow> rows_;                    // empty: of another profiler
  StringId operation_{}, step_{}, category_{};  // keys of arguments
  bool has_operation_ = false, has_step_ = false, has_category_ = false;
  bool has_device_ = false, has_calls_ = false;  // calls: of the device's runtime
};

/// Work of a device that is drawn around other work, as loops and conditions are, counts as what it runs.
void drop_loops(Activity& activity);

/// Of spans inside others of the same role, as calls that wait and launch have them, the outer ones alone count. Then
/// joins the calls that launch an execution with its work, where no call of the device's runtime does: an execution is
/// told by its number (run_id) or by what is drawn around it, and its call by the name of the function.
void join_executions(const Trace& trace, const XlaRows& rows, Activity& activity);

}  // namespace takt
