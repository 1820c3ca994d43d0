#include "pipeline/engine/fake_stages.h"

#include "base/basics/error.h"
#include "measure/run/fake_session.h"
#include "model/runtime/worker.h"
#include "pipeline/engine/planned_run.h"

namespace takt {
namespace {

class FakeRequest final : public Request {
 public:
  explicit FakeRequest(FakeInference inference) : inference_(std::move(inference)) {}

  std::int64_t set_input(std::size_t, SharedTensor) override { return 0; }
  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override {
    if (!worker_.start(
            [this] {
              error_ = inference_(count_++);
              completed_ = steady_now();
            },
            [this, done = std::move(done)] { done(completed_, error_); }))
      throw Error(ErrorKind::runtime, "fake: two inferences at once on one request");
  }
  void wait() override { worker_.wait(); }
  std::vector<HostTensor> outputs() override {
    HostTensor output{"y", ElementType::u8, {1}, {}, {}};
    output.bytes.resize(1);
    return {output};
  }

 private:
  FakeInference inference_;
  std::int64_t count_ = 0;
  std::optional<std::string> error_;
  Nanoseconds completed_{};
  Worker worker_;  // last: its thread ends before what it uses
};

class FakeStageSession final : public FakeSession {
 public:
  explicit FakeStageSession(FakeInference inference) : inference_(std::move(inference)) {}
  std::unique_ptr<Request> make_request() override { return std::make_unique<FakeRequest>(inference_); }

 private:
  FakeInference inference_;
};

}  // namespace

std::unique_ptr<StageExecutor> fake_executor(FakeInference inference) {
  StageExecutorSettings settings;
  settings.counters = false;
  return executor_over(nullptr, std::make_unique<FakeStageSession>(std::move(inference)), settings);
}

namespace {

std::vector<OpenedStage> fake_stages(const PipelineSpec& spec, const FakeInferences& inferences,
                                     std::vector<StageExecutor*>& all) {
  std::vector<OpenedStage> stages(spec.stages.size());
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const StageSpec& stage = spec.stages[s];
    if (is_simulated(devices_of(stage).front())) continue;
    const int parts = stage.split ? static_cast<int>(stage.split->devices.size()) : 1;
    stages[s].runtimes.assign(static_cast<std::size_t>(parts), "fake");
    std::vector<std::unique_ptr<StageExecutor>> executors;
    for (int r = 0; r < stage.replicas; ++r)
      for (int p = 0; p < parts; ++p) {
        executors.push_back(fake_executor(inferences(static_cast<int>(s), r, p)));
        all.push_back(executors.back().get());
      }
    if (stage.split)
      stages[s].split = std::make_unique<DataParallelStage>(std::move(executors), *stage.split->ratio);
    else
      stages[s].replicas = std::move(executors);
  }
  return stages;
}

}  // namespace

FakeEngine::FakeEngine(const std::string& yaml, const FakeInferences& inferences, EngineSettings settings)
    : spec_(parse_pipeline(yaml, "p.yaml")), settings_(std::move(settings)), times_(spec_) {
  result = planned_run(spec_, times_);
  auto stages = fake_stages(spec_, inferences, executors_);
  engine_ = std::make_unique<EngineRun>(spec_, settings_, times_, result.shape, std::move(stages));
}

FakeEngine::~FakeEngine() {
  for (StageExecutor* const executor : executors_) try {
      executor->wait();
    } catch (const Error&) {  // the test has seen it
    }
}

bool FakeEngine::run() { return engine_->run(result); }

}  // namespace takt
