#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.h"
#include "core/text.h"
#include "runtime/runtime.h"
#include "runtime/sim/sim_runtime.h"
#ifdef TAKT_WITH_ONNXRUNTIME
#include "runtime/onnxruntime/onnxruntime_runtime.h"
#endif
#ifdef TAKT_WITH_OPENVINO
#include "runtime/openvino/openvino_runtime.h"
#endif

namespace takt {
namespace {

struct Entry {
  std::string name;
  std::string option;                  ///< the configure option that builds it
  std::unique_ptr<Runtime> (*make)();  ///< null: left out
};

const std::vector<Entry>& entries();

std::unique_ptr<Runtime> make_real_runtime() {
  for (const auto& entry : entries())
    if (entry.make && entry.name != "sim") return entry.make();
  throw Error(ErrorKind::unsupported,
              "sim: 'compute: true' needs a real runtime, and this binary has none; configure with "
              "-DTAKT_WITH_ONNXRUNTIME=ON or remove the key");
}

// In the order in which they are offered: real runtimes first.
const std::vector<Entry>& entries() {
  static const std::vector<Entry> all{
#ifdef TAKT_WITH_OPENVINO
      {"openvino", "TAKT_WITH_OPENVINO", make_openvino_runtime},
#else
      {"openvino", "TAKT_WITH_OPENVINO", nullptr},
#endif
#ifdef TAKT_WITH_ONNXRUNTIME
      {"onnxruntime", "TAKT_WITH_ONNXRUNTIME", make_onnxruntime_runtime},
#else
      {"onnxruntime", "TAKT_WITH_ONNXRUNTIME", nullptr},
#endif
      {"sim", "", [] { return make_sim_runtime(make_real_runtime); }},
  };
  return all;
}

std::vector<std::string> names(bool built) {
  std::vector<std::string> result;
  for (const auto& entry : entries())
    if ((entry.make != nullptr) == built) result.push_back(entry.name);
  return result;
}

}  // namespace

void Request::set_input(std::size_t, SharedTensor) {
  throw Error(ErrorKind::unsupported, "this runtime's requests take no values of their own; set the session's inputs");
}

bool moves_data(std::string_view type) {
  static constexpr std::array kinds{"input", "parameter", "output", "result", "reorder", "convert", "cast"};
  const std::string lower = lower_case(type);
  return std::find(kinds.begin(), kinds.end(), lower) != kinds.end();
}

std::optional<OpTotals> Request::last_totals() {
  const auto ops = last_ops();
  if (!ops) return std::nullopt;
  OpTotals totals;
  for (const auto& op : *ops) {
    totals.all += op.duration;
    if (moves_data(op.type)) totals.moving += op.duration;
  }
  return totals;
}

std::vector<HostTensor> Request::outputs() {
  throw Error(ErrorKind::unsupported, "this runtime's requests do not show their outputs; use the session's run");
}

Nanoseconds Session::copy_outputs() {
  const auto start = steady_now();
  outputs_of_last_run();
  return steady_now() - start;
}

std::vector<std::string> runtime_names() { return names(true); }
std::vector<std::string> missing_runtime_names() { return names(false); }

std::unique_ptr<Runtime> make_runtime(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& entry : entries()) {
    known.push_back(entry.name);
    if (entry.name != name) continue;
    if (entry.make) return entry.make();
    throw Error(ErrorKind::unsupported,
                fmt::format("runtime '{}': left out of this binary; configure with -D{}=ON, or use {}", name,
                            entry.option, fmt::join(runtime_names(), ", ")));
  }
  const auto near = nearest_word(lower_case(name), known);
  throw Error(ErrorKind::unsupported, fmt::format("runtime '{}': not known; {}", printable(name),
                                                  near ? fmt::format("did you mean '{}'?", *near)
                                                       : fmt::format("use {}", fmt::join(runtime_names(), ", "))));
}

}  // namespace takt
