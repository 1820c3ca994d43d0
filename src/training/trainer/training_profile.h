// The recording of a training's steps: by libtorch's profiler with Kineto where it was built with it, which sees the
// GPU, too; else by takt's own listener (operator_recorder.h).
#pragma once

#include <memory>
#include <string>

#include "training/trainer/operator_recorder.h"

namespace takt {

struct ProfileSettings {
  bool has_gpu = false, with_stack = false;
};

class TrainingProfile {
 public:
  explicit TrainingProfile(const ProfileSettings& settings);
  ~TrainingProfile();

  void warm_up();  ///< what is recorded from here on is thrown away
  void start();
  /// Ends the recording and writes the trace. Throws Error(io).
  void write(const std::string& file);
  std::string name() const;  ///< "kineto" or "record_function"

 private:
  ProfileSettings settings_;
  bool has_kineto_;
  std::unique_ptr<OperatorRecorder> recorder_;
};

}  // namespace takt
