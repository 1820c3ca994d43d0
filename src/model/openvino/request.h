// One inference at a time of a model compiled by OpenVINO: a session's own, and those of asynchronous requests.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <openvino/runtime/infer_request.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/system/interrupt.h"
#include "model/openvino/ops.h"
#include "model/runtime/runtime.h"

namespace takt::openvino {

/// What the requests of a session share with it; the session outlives them.
struct Shared {
  std::vector<Port> inputs, outputs;
  std::vector<ov::element::Type> input_types;
  NodeTable nodes;
  bool profile = false;
  bool resets_state = false;  ///< before every inference: the model has variables, and nobody asked to keep them
  std::string where;
};

/// Makes an inference under way end with a failure, where its device knows how.
void cancel(ov::InferRequest& request);

/// OpenVINO's request and the times of its last inference. May throw ov::Exception.
///
/// OpenVINO writes an output of a shape that it does not know beforehand to memory of the request, and to memory of a
/// user's only by copying it there. Whoever takes such an output therefore holds the request itself, and this goes on
/// with another one of the same model until that is let go.
class Inference {
 public:
  Inference(ov::InferRequest request, const Shared& shared)
      : current_(std::make_shared<Slot>(std::move(request))), shared_(shared) {}

  ov::InferRequest& request() { return current_->request; }
  /// Starts the clock; before that, unless they are kept, it empties the model's variables: inferences are alike,
  /// however many went before.
  void begin();
  void reset_state();
  void finish(Nanoseconds at);
  Nanoseconds wall() const { return call_.wall; }
  Nanoseconds completed() const { return started_ + call_.wall; }

  std::vector<HostTensor> outputs();
  void set_input(std::size_t port, SharedTensor value);
  void restore_inputs();
  void set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory);
  TakenOutputs take_outputs();
  /// nullopt: without profiling, or before the first inference.
  std::optional<std::vector<OpSample>> ops();
  std::optional<OpTotals> totals();

 private:
  struct Slot {
    explicit Slot(ov::InferRequest made) : request(std::move(made)) {}
    ov::InferRequest request;
    std::atomic<bool> is_held = false;
    CancelledByInterrupt cancelled{[this] { cancel(request); }};  ///< last: it uses the request
  };

  bool is_told() const { return shared_.profile && call_.wall.count() != 0; }
  HostTensor taken(std::size_t port, std::shared_ptr<const void>& hold);
  void leave_held_request();

  std::shared_ptr<Slot> current_;
  std::vector<std::shared_ptr<Slot>> others_;  ///< held, or waiting to be used again
  const Shared& shared_;
  std::map<std::size_t, SharedTensor> values_;                     ///< what the inputs look at, by port
  std::map<std::size_t, ov::Tensor> first_;                        ///< what they had before, once they had another
  std::map<std::size_t, std::shared_ptr<std::byte>> destination_;  ///< what the outputs look at, by port
  Nanoseconds started_{};                                          ///< steady clock
  TimedCall call_;
  NodeClock clock_;
};

/// `own_thread`: it computes and calls back on a thread of its own, not on OpenVINO's.
std::unique_ptr<Request> make_request(ov::InferRequest request, const Shared& shared, bool own_thread);

}  // namespace takt::openvino
