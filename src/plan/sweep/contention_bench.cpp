#include "plan/sweep/contention_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "base/system/child_process.h"
#include "model/sim/simulated.h"
#include "pipeline/engine/loaded_runs.h"
#include "pipeline/engine/shared_resources.h"
#include "plan/sweep/export.h"
#include "plan/sweep/sharing_devices.h"

namespace takt {
namespace {

ElementType numbers_on(const std::string& unit) { return unit == "CPU" ? ElementType::f32 : ElementType::f16; }

/// The stages of one task as pipelines of one stage each, which are run beside loads.
class ContentionBench {
 public:
  ContentionBench(ContentionTask task, std::vector<std::string> load_command)
      : task_(std::move(task)), load_command_(std::move(load_command)), folder_("takt-sweep-") {}

  /// Whatever goes wrong is in the record.
  ContentionRecord measure(const ContendingStage& stage) const {
    return measured(
        block_of(task_.unit, stage.range), [&] { return pipeline_of(stage); }, 1);
  }
  ContentionRecord measure_loads() const {
    return measured(
        std::string(loads_block), [&] { return pipeline_of_loads(); }, 0);
  }

 private:
  template <typename Pipeline>
  ContentionRecord measured(std::string block, const Pipeline& pipeline, std::size_t stages) const {
    ContentionRecord record{std::move(block), stages == 0 ? "" : task_.device, {}, {}};
    try {
      const PipelineSpec spec = pipeline();
      CutRunner runner(spec, task_.is_simulated());
      const LoadSetup setup = load_setup(spec, task_.is_simulated(), runner, load_command_);
      SingleSettings settings;
      settings.rounds = task_.rounds;
      settings.plan = load_plan_of(task_);
      settings.loads = stages == 0;
      record.rounds = measure_rounds(stages, setup.resources.size(), *setup.runs, settings);
    } catch (const std::bad_alloc&) {
      record.reason = "out of memory";
    } catch (const std::exception& error) {
      record.reason = error.what();
    }
    return record;
  }

  /// With noise of its own for each block.
  PipelineSpec empty_pipeline(std::string_view block, std::int64_t batches) const {
    PipelineSpec spec;
    spec.name = "sweep", spec.origin = "the sweep's pipeline";
    spec.batches = batches;
    spec.warmup = std::max<std::int64_t>(1, batches / 10);
    spec.seed = task_.graph.seed + fingerprint(block) / 2;
    spec.timeout = task_.limit;
    for (const auto& [name, law] : shared_by(task_.sharing)) spec.resources[name].law = law;
    return spec;
  }

  /// Loads alone run no stage; of this one is taken how many threads a stage has.
  PipelineSpec pipeline_of_loads() const {
    PipelineSpec spec = empty_pipeline(loads_block, 200);
    if (task_.is_simulated()) return spec;
    StageSpec& stage = spec.stages.emplace_back();
    stage.name = loads_block;
    stage.dummy = DummyModel{};
    stage.dummy->matmul = 1;
    return spec;
  }

  PipelineSpec pipeline_of(const ContendingStage& what) const {
    const std::string block = block_of(task_.unit, what.range);
    PipelineSpec spec = empty_pipeline(block, what.batches);
    StageSpec& stage = spec.stages.emplace_back();
    stage.name = block;
    stage.device = task_.device;
    stage.connects_by_default = false;
    if (task_.is_simulated()) {
      stage.model = written(what.range);
      const auto shared = spec.resources;
      const SimulatedTimes times(spec);
      spec = with_given_times(with_shared_resources(spec, times), times);
      // What no other device uses, no load needs to press on.
      std::erase_if(spec.resources, [&](const auto& resource) { return !shared.contains(resource.first); });
      return spec;
    }
    const StageExport exported = export_of(what.range, task_.unit, task_.size);
    stage.model = task_.folder / (traits_of(task_.runtime).uses_ir ? ir_file(exported) : onnx_file(exported));
    stage.runtime = task_.runtime;
    if (task_.unit == "CPU") stage.precision = ElementType::f32;  // as for its times
    stage.given = values_of(what.range, exported.settings.size.has_value());
    return spec;
  }

  /// Of the very size, as a description's law needs the shapes of all tensors.
  std::filesystem::path written(const StageRange& range) const {
    StageModelSettings settings;
    settings.features = settings.hidden = task_.features;
    settings.precision = numbers_on(task_.unit);
    settings.size = task_.size;
    const auto path = folder_.path() / (to_string(range) + ".onnx");
    write_onnx(stage_model(range, settings), path);
    return path;
  }

  std::vector<SharedTensor> values_of(const StageRange& range, bool fixed_size) const {
    std::vector<Port> wanted;
    for (const StageTensor& tensor : ports_of(range).inputs)
      if (!fixed_size || tensor.name != "num_nodes")
        wanted.push_back({std::string(tensor.name),
                          tensor.holds == Holds::indices  ? ElementType::i64
                          : tensor.holds == Holds::counts ? ElementType::f32
                                                          : numbers_on(task_.unit),
                          {}});
    std::vector<SharedTensor> values;
    for (HostTensor& value :
         stage_inputs(range, wanted, edges_of(task_.graph, task_.size), task_.features, task_.graph.seed))
      values.push_back(std::make_shared<const HostTensor>(std::move(value)));
    return values;
  }

  ContentionTask task_;
  std::vector<std::string> load_command_;
  TemporaryFolder folder_;
};

}  // namespace

std::vector<std::string> resources_of(const ContentionTask& task) {
  if (!task.is_simulated()) return RealLoadedRuns::resources();
  std::vector<std::string> names;
  for (const auto& [name, law] : shared_by(task.sharing)) names.push_back(name);
  return names;
}

LoadPlan load_plan_of(const ContentionTask& task) {
  LoadPlan plan{even_levels(task.levels), {}};
  const std::size_t resources = resources_of(task).size();
  if (!task.is_simulated()) plan.mixture = RealLoadedRuns::mixture();
  if (task.is_simulated() && resources > 1) plan.mixture.assign(resources, 1);
  return plan;
}

int run_contention_task(std::string_view json, const std::vector<std::string>& load_command,
                        const std::function<void(const std::string& line)>& tell) {
  const ContentionTask task = parse_contention_task(json);
  end_with_parent(task.parent);
  const ContentionBench bench(task, load_command);
  bool all_measured = true;
  const auto say = [&](const ContentionRecord& record) {
    tell(to_json(record));
    all_measured = all_measured && record.reason.empty();
  };
  if (task.stages.empty()) say(bench.measure_loads());
  for (const ContendingStage& stage : task.stages) say(bench.measure(stage));
  return all_measured ? 0 : 1;
}

}  // namespace takt
