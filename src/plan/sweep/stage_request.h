// An inference of a stage as pipelines run it, to be timed: what it reads and writes lies in memory of takt's.
//
// A session that is run by itself works on the runtime's memory. That is not what a stage of a pipeline takes: large
// pages are faster to read, and some runtimes copy an open output to the place that it was given.
#pragma once

#include <memory>
#include <vector>

#include "base/basics/units.h"
#include "model/runtime/runtime.h"

namespace takt {

/// Not thread-safe. Destroy before the session.
class StageRequest {
 public:
  /// `inputs` by port. `outputs` of an inference of the session with these inputs: only their types and shapes are
  /// looked at.
  StageRequest(Session& session, const std::vector<HostTensor>& inputs, const std::vector<HostTensor>& outputs);

  /// One inference: from right before its start to the runtime's answer. Throws Error(runtime).
  Nanoseconds run();

 private:
  struct Output {
    std::size_t port = 0;
    Shape shape;
    std::shared_ptr<std::byte> memory;
  };

  std::unique_ptr<Request> request_;
  std::vector<Output> outputs_;
};

}  // namespace takt
