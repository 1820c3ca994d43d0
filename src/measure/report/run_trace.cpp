#include "measure/report/run_trace.h"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "base/basics/check.h"

namespace takt {
namespace {

TraceValues run_values(const RunResult& result, std::size_t run) {
  return {{"run", static_cast<std::int64_t>(run)}, {"runtime", result.runtime}, {"device", result.device}};
}

/// The rows of the profile by what a sample tells: the runtime's names.
class RowNames {
 public:
  explicit RowNames(const OpProfile& profile) {
    for (const OpRow& row : profile.ops) rows_.emplace(std::pair(row.node, row.kernel), &row);
  }
  const OpRow* find(const ExecutedNode& node) const {
    const auto found = rows_.find(std::pair(node.name, node.kernel));
    return found == rows_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, const OpRow*> rows_;
};

TraceValues op_values(const ExecutedNode& node, std::string_view name, std::string_view type, std::size_t run) {
  TraceValues values{{"run", static_cast<std::int64_t>(run)}, {"type", std::string(type)}};
  if (name != node.name) values.emplace_back("node", node.name);
  if (!node.kernel.empty()) values.emplace_back("kernel", node.kernel);
  std::string fused;
  for (const auto& member : node.model_ops) fused += (fused.empty() ? "" : "+") + member;
  if (node.model_ops.size() > 1) values.emplace_back("fused", fused);
  return values;
}

}  // namespace

Trace make_trace(const RunResult& result, const OpProfile& profile, const Provenance& provenance) {
  const RunPass& pass = result.profiled.value();
  TAKT_CHECK(pass.starts.size() == pass.samples.size() && pass.ops.size() == pass.samples.size());
  Trace trace;
  trace.set_base_time(pass.started);
  trace.set_provenance_json(to_json(provenance));
  ProcessId process = trace.add_process(fmt::format("{} {}", result.runtime, result.device));
  RowId runs = trace.add_row(process, "runs", 0, 1);
  RowId ops = trace.add_row(process, fmt::format("{} operators", result.device), 0, 2);
  const RowNames names(profile);
  for (std::size_t run = 0; run < pass.samples.size(); ++run) {
    EventId event = trace.add_event(runs, fmt::format("run {}", run), "run", pass.starts[run], pass.samples[run]);
    trace.set_args(event, run_values(result, run));
    for (const OpSample& op : pass.ops[run]) {
      const OpRow* row = names.find(*op.node);
      const std::string_view name = row ? row->name : op.node->name, type = row ? row->type : op.node->type;
      EventId inner = trace.add_event(ops, name, type, pass.starts[run] + op.start, op.duration);
      trace.set_args(inner, op_values(*op.node, name, type, run));
    }
  }
  return trace;
}

}  // namespace takt
