#include "measure/report/peer_writer.h"

#include <fmt/format.h>

#include <map>

#include "base/basics/text.h"
#include "measure/profiles/peer_types.h"
#include "measure/report/usage_json.h"
#include "measure/run/memory.h"
#include "measure/timing/measure.h"

namespace takt {
namespace {

constexpr std::string_view host_thread = "main";

/// Operators and tensors share one counter of ids, as in the peer's files.
struct Ids {
  std::map<std::string, int> tensors;
  std::vector<int> ops;
  std::vector<std::pair<std::string, int>> tensor_order;

  int tensor(const std::string& name) {
    auto [place, is_new] = tensors.emplace(name, next);
    if (is_new) tensor_order.emplace_back(name, next++);
    return place->second;
  }
  int next = 0;
};

std::string seconds(Nanoseconds time) {
  return fmt::format("{}{}.{:09}", time.count() < 0 ? "-" : "", std::abs(time.count()) / 1'000'000'000,
                     std::abs(time.count()) % 1'000'000'000);
}

std::string number_list(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::string shape_list(const std::vector<Shape>& shapes) {
  std::vector<std::string> texts;
  for (const Shape& shape : shapes) texts.push_back(number_list(shape));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

/// Joins `"key": value` members one to a line.
class Members {
 public:
  void add(std::string_view key, std::string_view value) {
    text_ += fmt::format("{}\n{}: {}", text_.empty() ? "" : ",", json_quote(key), value);
  }
  bool is_empty() const { return text_.empty(); }
  std::string object() const { return text_.empty() ? "{}" : "{" + text_ + "\n}"; }

 private:
  std::string text_;
};

class PeerWriter {
 public:
  PeerWriter(const RunResult& result, const OpProfile& profile) : result_(result), profile_(profile) {
    for (const OpRow& row : profile.ops) {
      for (const auto& name : row.inputs) ids_.tensor(name);
      ids_.ops.push_back(ids_.next++);
      for (const auto& name : row.outputs) ids_.tensor(name);
    }
  }

  std::string graph_exec() const {
    Members members;
    std::vector<std::string> sequence;
    for (int id : ids_.ops) sequence.push_back(fmt::format("\"{}\"", id));
    members.add("comp_seq", fmt::format("[{}]", fmt::join(sequence, ", ")));
    members.add("operator", operators());
    members.add("var", vars());
    members.add("mem_chunk", chunks());
    return members.object();
  }

  /// Spans of the median run, back to back from the order of execution where the runtime tells no start.
  std::string times(std::string_view row_name) const {
    const auto& run = result_.profiled->ops.at(median_run(result_.profiled->samples));
    std::map<std::pair<std::string, std::string>, std::pair<Nanoseconds, Nanoseconds>> spans;  // first start, sum
    for (const OpSample& sample : run) {
      auto [place, is_new] =
          spans.emplace(std::pair(sample.node->name, sample.node->kernel), std::pair(sample.start, sample.self()));
      if (!is_new) place->second.second += sample.self();
    }
    Members members;
    for (std::size_t i = 0; i < profile_.ops.size(); ++i) {
      auto span = spans.find(std::pair(profile_.ops[i].node, profile_.ops[i].kernel));
      if (span == spans.end()) continue;  // did not execute in that run
      auto [start, duration] = span->second;
      members.add(std::to_string(ids_.ops[i]),
                  fmt::format(R"({{{}: {{"start": {}, "kern": {}, "end": {}}}}})", json_quote(row_name), seconds(start),
                              seconds(start), seconds(start + duration)));
    }
    return members.object();
  }

  std::string footprints() const {
    Members members;
    for (std::size_t i = 0; i < profile_.ops.size(); ++i) {
      const OpRow& row = profile_.ops[i];
      std::string computation = row.flops && *row.flops > 0 ? fmt::format("{:.0f}", *row.flops) : "null";
      std::string text = fmt::format(R"("computation": {}, )", computation);
      if (row.bytes) text += fmt::format(R"("memory": {}, )", *row.bytes);
      if (!row.input_shapes.empty() || row.inputs.empty())
        text += fmt::format(R"("in_shapes": {}, )", shape_list(row.input_shapes));
      if (!row.output_shapes.empty() || row.outputs.empty())
        text += fmt::format(R"("out_shapes": {}, )", shape_list(row.output_shapes));
      members.add(std::to_string(ids_.ops[i]), "{" + text + R"("param": {}})");
    }
    return members.object();
  }

  std::string samples() const {
    auto list = [](const std::vector<Nanoseconds>& times) {
      std::vector<std::int64_t> counts;
      for (Nanoseconds time : times) counts.push_back(time.count());
      return fmt::format("[{}]", fmt::join(counts, ", "));
    };
    Members ops;
    for (std::size_t i = 0; i < profile_.ops.size(); ++i) {
      const OpRow& row = profile_.ops[i];
      std::vector<std::string> fused;
      for (const auto& name : row.model_ops) fused.push_back(json_quote(name));
      ops.add(
          std::to_string(ids_.ops[i]),
          fmt::format(
              R"({{"calls": {}, "total_ns": {}, "node": {}, "kernel": {}, "constant_bytes": {}, "plain_mean_ns": {}, "fused": [{}], {}"samples_ns": {}}})",
              row.calls, row.total.count(), json_quote(row.node), row.kernel.empty() ? "null" : json_quote(row.kernel),
              row.constant_bytes ? std::to_string(*row.constant_bytes) : "null",
              row.plain_mean ? fmt::format("{:.0f}", row.plain_mean->count() * 1000) : "null", fmt::join(fused, ", "),
              row.model_ops.empty() ? tensors_of(row) : "", list(row.samples)));
    }
    Members members;
    members.add("runs", std::to_string(profile_.runs));
    members.add("measured_ns", std::to_string(profile_.measured.count()));
    members.add("unattributed_ns", std::to_string(profile_.unattributed.count()));
    members.add("median_run", std::to_string(median_run(result_.profiled->samples)));
    members.add("samples_ns", list(result_.profiled->samples));
    members.add("unattributed_samples_ns", list(profile_.unattributed_samples));
    if (result_.plain) members.add("plain_samples_ns", list(result_.plain->samples));
    members.add("operators", ops.object());
    return members.object();
  }

  /// What the process used beside the samples, of each pass that has it; empty: a simulated clock.
  std::string usage() const {
    Members passes;
    if (result_.plain && !result_.plain->usage.empty()) passes.add("plain", usage_json(*result_.plain));
    if (result_.profiled && !result_.profiled->usage.empty()) passes.add("profiled", usage_json(*result_.profiled));
    return passes.is_empty() ? "" : passes.object();
  }

  std::string model() const {
    const auto name = json_quote(result_.model.string());
    if (!result_.content) return fmt::format(R"({{"path": {}, "files": null, "fingerprint": null}})", name);
    std::vector<std::string> files;
    for (const ModelFile& file : result_.content->files)
      files.push_back(fmt::format(R"({{"name": {}, "bytes": {}}})", json_quote(file.name), file.bytes));
    return fmt::format(R"({{"path": {}, "files": [{}], "fingerprint": "{}"}})", name, fmt::join(files, ", "),
                       result_.content->fingerprint);
  }

  std::string inputs() const {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < result_.input_values.size(); ++i) {
      const HostTensor& input = result_.input_values[i];
      const std::string origin = i < result_.input_origins.size() ? json_quote(result_.input_origins[i]) : "null";
      texts.push_back(fmt::format(R"({{"name": {}, "type": "{}", "shape": {}, "origin": {}}})", json_quote(input.name),
                                  type_name(input.type), number_list(input.shape), origin));
    }
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  std::string notes() const {
    std::vector<std::string> texts;
    for (const auto& note : all_notes(result_)) texts.push_back(json_quote(note));
    return fmt::format("[{}]", fmt::join(texts, ", "));
  }

  std::string precision() const {
    return result_.precision ? fmt::format("\"{}\"", type_name(*result_.precision)) : "null";
  }

  std::string cost() const {
    if (!result_.plain || !result_.profiled) return "";
    auto cost = profiling_cost(*result_.plain, *result_.profiled);
    if (!cost) return "";
    std::string interval =
        cost->interval ? fmt::format("[{:.6f}, {:.6f}]", cost->interval->low, cost->interval->high) : "null";
    return fmt::format(R"({{"ratio": {:.6f}, "interval_95": {}}})", cost->ratio, interval);
  }

 private:
  /// The runtime numbers its own nodes anew in each session; what they read and write tells them apart.
  static std::string tensors_of(const OpRow& row) {
    std::vector<std::string> names;
    for (const auto* list : {&row.inputs, &row.outputs})
      for (const auto& name : *list) names.push_back(json_quote(name));
    return fmt::format("\"tensors\": [{}], ", fmt::join(names, ", "));
  }

  std::string id_list(const std::vector<std::string>& names) const {
    std::vector<std::string> ids;
    for (const auto& name : names) ids.push_back(fmt::format("\"{}\"", ids_.tensors.at(name)));
    return fmt::format("[{}]", fmt::join(ids, ", "));
  }

  std::string operators() const {
    Members members;
    for (std::size_t i = 0; i < profile_.ops.size(); ++i) {
      const OpRow& row = profile_.ops[i];
      members.add(
          std::to_string(ids_.ops[i]),
          fmt::format(
              R"({{"node_type": "operator", "id": "{}", "name": {}, "type": {}, "input": {}, "output": {}, )"
              R"("extra": {{"priority": 0, "input_update_time": 0, "dfs_step_num": {}}}, "waiting_spec": {{}}}})",
              ids_.ops[i], json_quote(row.name), json_quote(row.type), id_list(row.inputs), id_list(row.outputs), i));
    }
    return members.object();
  }

  const Tensor* find(const std::string& name) const {
    if (!result_.graph) return nullptr;
    auto id = result_.graph->find_tensor(name);
    return id ? &result_.graph->tensor(*id) : nullptr;
  }

  std::string plan(const std::string& name, int id) const {
    const Tensor* tensor = find(name);
    auto shape = tensor && tensor->shape ? concrete(*tensor->shape) : std::nullopt;
    if (!shape) return "null";
    Shape strides(shape->size());
    std::int64_t stride = 1;
    for (std::size_t i = shape->size(); i-- > 0; stride *= (*shape)[i]) strides[i] = stride;
    return fmt::format(
        R"({{"mem_chunk_id": "chk{}", "offset_byte": 0, "layout": {{"shape": {}, "stride": {}, "dtype": "{}"}}}})", id,
        number_list(*shape), number_list(strides), peer_type(tensor->type));
  }

  std::string vars() const {
    Members members;
    for (const auto& [name, id] : ids_.tensor_order)
      members.add(
          std::to_string(id),
          fmt::format(R"({{"node_type": "var", "id": "{}", "name": {}, "comp_node": {}, "flag": [], "mem_plan": {}, )"
                      R"("dev_ptr": null, "prev_dev_ptr": 0, "mem_readonly_fwd_src": null, "force_update_src": null, )"
                      R"("static_infer_tags": {{}}}})",
                      id, json_quote(name), json_quote(result_.device), plan(name, id)));
    return members.object();
  }

  std::string chunks() const {
    Members members;
    for (const auto& [name, id] : ids_.tensor_order) {
      const Tensor* tensor = find(name);
      if (tensor && tensor->bytes && tensor->shape && concrete(*tensor->shape))
        members.add(
            fmt::format("chk{}", id),
            fmt::format(
                R"({{"node_type": "mem_chunk", "id": "chk{}", "size": {}, "owner_var": "{}", "dev_ptr": null}})", id,
                *tensor->bytes, id));
    }
    return members.object();
  }

  const RunResult& result_;
  const OpProfile& profile_;
  Ids ids_;
};

}  // namespace

std::string to_peer_json(const RunResult& result, const OpProfile& profile, const Provenance& provenance,
                         ProfileContent content) {
  PeerWriter writer(result, profile);
  Members profiler;
  profiler.add("device", content == ProfileContent::host_only ? "{}" : writer.times(result.device));
  profiler.add("host", writer.times(host_thread));
  profiler.add("opr_footprint", writer.footprints());
  profiler.add("opr_internal_pf", "{}");
  Members takt;
  takt.add("provenance", to_json(provenance));
  takt.add("model", writer.model());
  takt.add("inputs", writer.inputs());
  takt.add("precision", writer.precision());
  takt.add("notes", writer.notes());
  takt.add("profile", writer.samples());
  if (auto cost = writer.cost(); !cost.empty()) takt.add("profiling_cost", cost);
  if (auto usage = writer.usage(); !usage.empty()) takt.add("usage", usage);
  takt.add("memory", memory_json(result));
  Members file;
  file.add("takt", takt.object());
  file.add("graph_exec", writer.graph_exec());
  file.add("profiler", profiler.object());
  return file.object() + "\n";
}

}  // namespace takt
