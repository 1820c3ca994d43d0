#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/runtime/runtime.h"

namespace takt {

/// A session that runs nothing: its times and outputs are what the test says.
class FakeSession : public Session {
 public:
  std::vector<HostTensor> tensors;
  std::function<Nanoseconds()> next_time;
  const std::vector<Port>& inputs() const override { return ports_; }
  const std::vector<Port>& outputs() const override { return ports_; }
  std::string device() const override { return "none"; }
  void set_inputs(const std::vector<HostTensor>&) override {}
  Nanoseconds run() override { return next_time ? next_time() : Nanoseconds(1); }
  std::optional<std::vector<OpSample>> last_ops() override { return std::nullopt; }
  std::vector<HostTensor> outputs_of_last_run() override { return tensors; }
  std::unique_ptr<Request> make_request() override { return nullptr; }

 private:
  std::vector<Port> ports_;
};

}  // namespace takt
