#include "plan/run/planned_layer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/basics/units.h"
#include "base/files/file.h"
#include "model/inputs/npy.h"
#include "model/runtime/precision.h"
#include "model/sim/simulated.h"
#include "pipeline/spec/described_devices.h"
#include "pipeline/stages/float_types.h"
#include "plan/gnn/graph_parts.h"
#include "plan/gnn/part_models.h"
#include "plan/sweep/stage_inputs.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

bool has_fixed_size(const PlanPart& part, const PlanUnit& unit) {
  return part.unit == "NPU" || is_simulated(unit.device);
}

/// Writes one plan. Stages and their inputs are added in the order in which they run.
class PlanWriter {
 public:
  PlanWriter(const Plan& plan, const PlannedLayer& layer, const fs::path& folder)
      : plan_(plan), layer_(layer), folder_(folder), simulated_(layer.is_simulated()) {}

  PlanPipeline write() {
    make_folders(folder_);
    write_values();
    for (std::size_t b = 0; b < plan_.blocks.size(); ++b) {
      block_ = fmt::format("block{}", b + 1);
      written_.blocks.emplace_back().first = stages_;
      if (plan_.blocks[b].divided())
        divided(plan_.blocks[b]);
      else
        whole(plan_.blocks[b]);
      written_.blocks.back().last = stages_ - 1;
    }
    written_.file = folder_ / "plan.yaml";
    write_file_atomically(written_.file, head() + text_);
    return std::move(written_);
  }

 private:
  using Links = std::map<std::string, std::string>;  ///< input → STAGE.OUTPUT, or a file

  struct NewStage {
    std::string name;
    const PlanUnit* unit;
    OnnxModel model;
    Links connect{}, data{};
    bool is_open = false;  ///< as a sweep measures it: of any size
  };

  /// Devices of units that several blocks share: there they take turns, as the estimate says and as is faster, since
  /// each finds the caches to itself. Not where a block is divided: what cuts and puts together runs on the host beside
  /// it.
  std::set<std::string> devices_in_turns() const {
    std::map<std::string, std::vector<std::string>> units;  // by device, one per block
    for (const PlanBlock& block : plan_.blocks) {
      if (block.divided()) return {};
      const PlanPart& part = block.parts.front();
      if (!takt::is_simulated(unit_of(part).device)) units[unit_of(part).device].push_back(part.unit);
    }
    std::set<std::string> shared;
    for (const auto& [device, of_blocks] : units)
      if (of_blocks.size() > 1 && std::set(of_blocks.begin(), of_blocks.end()).size() == 1) shared.insert(device);
    return shared;
  }

  std::string head() const {
    std::vector<std::string> devices;
    for (const PlanBlock& block : plan_.blocks)
      for (const PlanPart& part : block.parts) devices.push_back(unit_of(part).device);
    return fmt::format("# {}: {} of {} nodes and {} edges.\nname: plan\nqueue: 1\n{}stages:\n", to_string(plan_),
                       network_title(layer_.network), layer_.graph.nodes, layer_.graph.edges(),
                       described_devices(devices, devices_in_turns()));
  }

  /// Nobody reads them where nothing is computed.
  void write_values() {
    if (simulated_) return;
    values_ = layer_values(layer_);
    for (const auto& [name, value] : values_) write_file_atomically(folder_ / (name + ".npy"), npy_file(value));
  }

  const PlanUnit& unit_of(const PlanPart& part) const { return layer_.units.at(part.unit); }

  StageModelSettings model_settings(const PlanUnit& unit) const {
    StageModelSettings settings;
    settings.features = settings.hidden = layer_.features;
    settings.seed = layer_.seed;
    settings.precision = unit.precision;
    return settings;
  }

  void whole(const PlanBlock& block) {
    const StageRange range = layer_.range(block.stages);
    const PlanUnit& unit = unit_of(block.parts.front());
    StageModelSettings settings = model_settings(unit);
    if (has_fixed_size(block.parts.front(), unit)) settings.size = {layer_.graph.nodes, layer_.graph.edges()};
    NewStage stage{block_, &unit, stage_model(range, settings)};
    stage.is_open = !settings.size;
    for (const StageTensor& tensor : ports_of(range).inputs)
      if (!settings.size || tensor.name != "num_nodes") feed(stage, tensor);
    written_.blocks.back().parts = {stages_};
    add(std::move(stage));
    for (const StageTensor& tensor : ports_of(range).outputs) give(tensor, block_ + "." + std::string(tensor.name));
  }

  void divided(const PlanBlock& block) {
    const StageRange range = layer_.range(block.stages);
    std::vector<double> shares;
    for (const PlanPart& part : block.parts) shares.push_back(part.share);
    const auto parts = parts_of(layer_.graph, shares);
    const std::string cut = partition(range, parts);
    Links results;
    std::vector<std::string> computing;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      NewStage stage{fmt::format("{}_{}", block_, block.parts[p].unit), &unit_of(block.parts[p]),
                     part_model(range, model_settings(unit_of(block.parts[p])), parts[p])};
      for (const StageTensor& tensor : ports_of(range).inputs)
        if (tensor.name == "edge_index")
          stage.data["edge_index"] = write_edges(parts[p], p);
        else if (tensor.holds != Holds::indices && !cut.empty())
          stage.connect[std::string(tensor.name)] = cut + "." + part_name(tensor.name, p);
      for (const StageTensor& tensor : ports_of(range).outputs)
        results[part_name(tensor.name, p)] = stage.name + "." + std::string(tensor.name);
      written_.blocks.back().parts.push_back(stages_);
      computing.push_back(stage.name);
      add(std::move(stage), false);
    }
    before_ = computing;
    merge(range, parts, std::move(results));
  }

  /// The name of the stage; empty: there is nothing to cut.
  std::string partition(const StageRange& range, const std::vector<GraphPart>& parts) {
    const std::string name = block_ + "_partition";
    if (simulated_) return add_wait(name, layer_.divide.partition), "";
    auto model = partition_model(range, model_settings(host_), layer_.graph, parts);
    if (!model) return "";
    NewStage stage{name, &host_, std::move(*model)};
    for (const StageTensor& tensor : ports_of(range).inputs)
      if (tensor.holds != Holds::indices) feed(stage, tensor);
    add(std::move(stage));
    return name;
  }

  void merge(const StageRange& range, const std::vector<GraphPart>& parts, Links results) {
    const std::string name = block_ + "_merge";
    if (simulated_) return add_wait(name, layer_.divide.merge);
    add({name, &host_, merge_model(range, model_settings(host_), layer_.graph, parts), std::move(results)});
    for (const StageTensor& tensor : ports_of(range).outputs) give(tensor, name + "." + std::string(tensor.name));
  }

  /// Where an input of a range comes from: a file, or an earlier block. Nothing is moved between simulated units.
  void feed(NewStage& stage, const StageTensor& tensor) const {
    const std::string name(tensor.name);
    if (const auto from = made_by_.find(name); from != made_by_.end())
      stage.connect[name] = from->second;
    else if (!simulated_)
      stage.data[name] = tensor.holds == Holds::features ? features_for(*stage.unit) : name + ".npy";
  }

  /// The file with the nodes' features in the precision of the unit.
  std::string features_for(const PlanUnit& unit) const {
    if (unit.precision == ElementType::f32) return "x.npy";
    const auto x = std::make_shared<const HostTensor>(values_.at("x"));
    write_file_atomically(folder_ / "x_f16.npy", npy_file(*in_type(x, unit.precision)));
    return "x_f16.npy";
  }

  void give(const StageTensor& tensor, const std::string& from) {
    if (!simulated_) made_by_[std::string(tensor.name)] = from;
    written_.blocks.back().outputs.emplace_back(tensor.name);
  }

  std::string write_edges(const GraphPart& part, std::size_t number) const {
    if (simulated_) return {};
    HostTensor edges{"edge_index", ElementType::i64, {2, part.local.edges()}, {}, {}};
    auto both = part.local.sources;
    both.insert(both.end(), part.local.targets.begin(), part.local.targets.end());
    edges.bytes = to_bytes(both);
    const std::string file = fmt::format("edge_index_{}_{}.npy", block_, number + 1);
    write_file_atomically(folder_ / file, npy_file(edges));
    return file;
  }

  /// `is_last`: what comes next comes after it.
  void add(NewStage stage, bool is_last = true) {
    const std::string file = stage.name + ".onnx";
    write_onnx(stage.model, folder_ / file);
    std::string text =
        fmt::format("  - name: {}\n    model: {}\n    device: {}\n", stage.name, file, json_quote(stage.unit->device));
    if (!stage.unit->runtime.empty() && !is_simulated(stage.unit->device))
      text += fmt::format("    runtime: {}\n", stage.unit->runtime);
    if (!is_simulated(stage.unit->device))
      text += fmt::format("    precision: {}\n", precision_name(stage.unit->precision));
    if (stage.is_open) text += "    open_shapes: true\n";
    std::erase_if(stage.data, [](const auto& one) { return one.second.empty(); });
    if (!stage.data.empty()) text += fmt::format("    data: {}\n", flow_mapping(stage.data));
    if (stages_ > 0) text += fmt::format("    connect: {}\n", flow_mapping(stage.connect));
    add_text(stage.name, text, is_last);
  }

  void add_wait(const std::string& name, Nanoseconds time) {
    if (time.count() == 0) return;
    std::string text = fmt::format("  - name: {}\n    dummy: {{wait: {}ns}}\n", name, time.count());
    if (stages_ > 0) text += "    connect: {}\n";
    add_text(name, text, true);
  }

  void add_text(const std::string& name, std::string text, bool is_last) {
    if (stages_ > 0)
      text +=
          fmt::format("    after: {}\n", before_.empty() ? "source" : fmt::format("[{}]", fmt::join(before_, ", ")));
    if (is_last) before_ = {name};
    text_ += text;
    ++stages_;
  }

  const Plan& plan_;
  const PlannedLayer& layer_;
  const fs::path& folder_;
  const bool simulated_;
  const PlanUnit host_{"CPU", layer_.host_runtime, ElementType::f32};
  PlanPipeline written_;
  std::map<std::string, HostTensor> values_;
  Links made_by_;  ///< tensor → STAGE.OUTPUT
  std::vector<std::string> before_;
  std::string block_, text_;
  int stages_ = 0;
};

}  // namespace

bool PlannedLayer::is_simulated() const {
  return std::all_of(units.begin(), units.end(), [](const auto& one) { return takt::is_simulated(one.second.device); });
}

std::map<std::string, HostTensor> layer_values(const PlannedLayer& layer) {
  const auto stages = static_cast<int>(stages_of(layer.network).size());
  const auto dim = [](std::int64_t value) { return Dim{value, {}}; };
  const std::vector<Port> wanted{
      {"x", ElementType::f32, {dim(layer.graph.nodes), dim(layer.features)}},
      {"edge_index", ElementType::i64, {dim(2), dim(layer.graph.edges())}},
  };
  std::map<std::string, HostTensor> values;
  values["num_nodes"] = {"num_nodes", ElementType::i64, {1}, to_bytes(std::vector{layer.graph.nodes}), {}};
  for (HostTensor& value : stage_inputs({layer.network, 1, stages}, wanted, layer.graph, layer.features, layer.seed))
    values.emplace(value.name, std::move(value));
  return values;
}

PlanPipeline PlannedLayer::write(const Plan& plan, const fs::path& folder) const {
  PlanRules rules{static_cast<int>(stages_of(network).size()), {}, {}, false};
  for (const auto& [name, unit] : units) rules.units.push_back(name);
  takt::check(plan, rules, "the plan");
  return PlanWriter(plan, *this, folder).write();
}

}  // namespace takt
