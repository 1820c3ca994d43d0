// What an event of a training's trace is about, by its category and name: the one place that knows how PyTorch, its
// older versions and takt's own scenarios call things.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trace/events/trace.h"
#include "training/steps/vendor_rows.h"
#include "training/steps/xla_rows.h"

namespace takt {

enum class Role : std::uint8_t {
  none,
  // on a device
  kernel,         ///< computes
  communication,  ///< moves data between devices, by NCCL or RCCL
  copy,           ///< between host and device, or on the device
  fill,
  // in the program
  step,             ///< the mark of a step
  op,               ///< an operator of the framework
  scalar_read,      ///< an operator that needs a value of the device: item(), nonzero()
  data_wait,        ///< the loop waits for its next batch
  collective,       ///< an operation over ranks, as the program sees it
  optimizer,        ///< the span of an optimizer's step
  launch,           ///< a call that gives the device work
  synchronisation,  ///< a call that waits for the device
  allocation,       ///< a call that takes or frees memory of the device
  loading,          ///< a call that puts code on the device
  runtime,          ///< any other call of the device's runtime
  compilation,      ///< the compiler of networks at work
  annotation,       ///< a span that the program named itself
  frame,            ///< a Python function
  memory,           ///< the moment at which memory was taken or given back
  profiling,        ///< the profiler itself at work, while the program stands still
};

Role role_of(std::string_view category, std::string_view name);

inline bool is_on_device(Role role) { return role >= Role::kernel && role <= Role::fill; }
/// An operator, whatever else it is.
inline bool is_operator(Role role) { return role == Role::op || role == Role::scalar_read; }
/// Whether the operator of this name takes memory and does little else.
bool takes_memory(std::string_view name);
/// A call of the device's runtime.
inline bool is_call(Role role) { return role >= Role::launch && role <= Role::runtime; }

/// Whether an operator is part of the backward pass: autograd's own rows have no other.
bool is_backward(std::string_view name);

/// Roles by event: texts are compared once for each pair of category and name. Not thread-safe; `trace` outlives it.
class RoleBook {
 public:
  explicit RoleBook(const Trace& trace) : trace_(trace), vendors_(vendor_rows(trace)), xla_(trace) {}
  Role of(const TraceEvent& event);
  const XlaRows& xla() const { return xla_; }

 private:
  const Trace& trace_;
  std::vector<VendorRow> vendors_;  // by row
  XlaRows xla_;
  std::unordered_map<std::uint64_t, Role> known_;
};

}  // namespace takt
