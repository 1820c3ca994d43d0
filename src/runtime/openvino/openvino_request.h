// One inference at a time of a model compiled by OpenVINO: a session's own, and those of asynchronous requests.
#pragma once

#include <memory>
#include <openvino/runtime/infer_request.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/openvino/openvino_ops.h"
#include "runtime/runtime.h"

namespace takt::openvino {

/// What the requests of a session share with it; the session outlives them.
struct Shared {
  std::vector<Port> inputs, outputs;
  std::vector<ov::element::Type> input_types;
  NodeTable nodes;
  bool profile = false;
  std::string where;
};

/// OpenVINO's request and the times of its last inference. May throw ov::Exception.
class Inference {
 public:
  Inference(ov::InferRequest request, const Shared& shared) : request_(std::move(request)), shared_(shared) {}

  ov::InferRequest& request() { return request_; }
  void begin();
  void finish(Nanoseconds at);
  Nanoseconds wall() const { return call_.wall; }
  Nanoseconds completed() const { return started_ + call_.wall; }

  std::vector<HostTensor> outputs();
  /// nullopt: without profiling, or before the first inference.
  std::optional<std::vector<OpSample>> ops();
  std::optional<OpTotals> totals();

 private:
  bool is_told() const { return shared_.profile && call_.wall.count() != 0; }

  ov::InferRequest request_;
  const Shared& shared_;
  Nanoseconds started_{};  ///< steady clock
  TimedCall call_;
  NodeClock clock_;
};

/// `own_thread`: it computes and calls back on a thread of its own, not on OpenVINO's.
std::unique_ptr<Request> make_request(ov::InferRequest request, const Shared& shared, bool own_thread);

}  // namespace takt::openvino
