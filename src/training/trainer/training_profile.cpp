#include "training/trainer/training_profile.h"

#include <torch/csrc/autograd/profiler_kineto.h>
#include <unistd.h>

#include <cstdio>
#include <set>

#include "base/basics/error.h"
#include "base/basics/units.h"
#include "base/files/temporary_folder.h"
#include "base/system/provenance.h"
#include "trace/write/chrome_writer.h"

namespace takt {
namespace {

namespace profiler = torch::autograd::profiler;

std::set<profiler::ActivityType> activities(bool has_gpu) {
  std::set<profiler::ActivityType> set{profiler::ActivityType::CPU};
  if (has_gpu) set.insert(profiler::ActivityType::CUDA);
  return set;
}

profiler::ProfilerConfig config(const ProfileSettings& settings) {
  return profiler::ProfilerConfig(profiler::ProfilerState::KINETO,
                                  /*shapes*/ true,
                                  /*memory*/ true, settings.with_stack,
                                  /*flops*/ true,
                                  /*modules*/ false);  // explicit in libtorch 2
}

void enable(const ProfileSettings& settings) {
  profiler::enableProfiler(
      config(settings), activities(settings.has_gpu),
      {at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE, at::RecordScope::BACKWARD_FUNCTION});
}

/// Only saving tells whether libtorch was built with Kineto.
bool saves_traces() {
  const TemporaryFolder folder("takt-train");
  bool saved = false;
  try {
    profiler::prepareProfiler(config({}), activities(false));
    enable({});
    profiler::disableProfiler()->save((folder.path() / "probe.json").string());
    saved = true;
  } catch (const std::exception&) {
  }
  return saved;
}

std::int64_t system_minus_steady() { return (wall_now() - steady_now()).count(); }

}  // namespace

TrainingProfile::TrainingProfile(const ProfileSettings& settings) : settings_(settings), has_kineto_(saves_traces()) {}
TrainingProfile::~TrainingProfile() = default;

std::string TrainingProfile::name() const { return has_kineto_ ? "kineto" : "record_function"; }

void TrainingProfile::warm_up() {
  if (has_kineto_)
    profiler::prepareProfiler(config(settings_), activities(settings_.has_gpu));
  else
    recorder_ = std::make_unique<OperatorRecorder>();
}

void TrainingProfile::start() { has_kineto_ ? enable(settings_) : recorder_->restart(); }

void TrainingProfile::write(const std::string& file) {
  if (!has_kineto_) {
    Trace trace = trace_of(recorder_->stop(),
                           {.with_stack = settings_.with_stack, .system_minus_steady_ns = system_minus_steady()});
    trace.set_provenance_json(to_json(make_provenance({"takt-train"})));
    return write_chrome_trace(trace, file);
  }
  const std::string partial = file + ".part";  // seen whole or not at all
  profiler::disableProfiler()->save(partial);
  if (std::rename(partial.c_str(), file.c_str()) != 0)
    throw Error(ErrorKind::io, "cannot write the trace '" + file + "'");
}

}  // namespace takt
