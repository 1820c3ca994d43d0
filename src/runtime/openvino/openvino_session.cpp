#include "runtime/openvino/openvino_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <openvino/openvino.hpp>
#include <set>

#include "core/error.h"
#include "runtime/openvino/openvino_ops.h"
#include "runtime/openvino/openvino_tensors.h"
#include "runtime/tensors.h"

namespace takt::openvino {
namespace {

[[noreturn]] void fail(const std::string& where, const char* what) {
  throw Error(ErrorKind::runtime, fmt::format("{}: {}", where, one_sentence(what)));
}

std::string message_of(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& e) {
    return one_sentence(e.what());
  } catch (...) {
    return "unknown failure";
  }
}

// A port may carry several names (identities merged into it); the model's own output name is preferred.
std::string name_of(const ov::Output<const ov::Node>& port, const std::vector<std::string>& preferred,
                    std::size_t index) {
  const auto& names = port.get_names();
  for (const auto& name : preferred)
    if (names.count(name)) return name;
  if (names.empty()) return fmt::format("{}_{}", port.get_node()->get_friendly_name(), index);
  return *std::min_element(names.begin(), names.end());
}

std::vector<std::string> graph_names(const Graph* graph, const std::vector<TensorId> Graph::*which) {
  std::vector<std::string> names;
  if (graph)
    for (const auto id : graph->*which) names.push_back(graph->tensors[static_cast<std::size_t>(id)].name);
  return names;
}

std::vector<Port> ports_of(const std::vector<ov::Output<const ov::Node>>& ports,
                           const std::vector<std::string>& preferred) {
  std::vector<Port> result;
  for (std::size_t i = 0; i < ports.size(); ++i)
    result.push_back({name_of(ports[i], preferred, i), element_type(ports[i].get_element_type()),
                      partial_shape(ports[i].get_partial_shape())});
  return result;
}

class OpenVinoRequest : public Request {
 public:
  OpenVinoRequest(ov::InferRequest request, std::string where)
      : request_(std::move(request)), where_(std::move(where)) {}

  ~OpenVinoRequest() override {
    try {
      request_.wait();  // the callback refers to `done`, which must not outlive its owner unseen
    } catch (...) {     // whoever wanted to know has called wait()
    }
  }

  void start_async(std::function<void(Nanoseconds, std::optional<std::string>)> done) override try {
    request_.set_callback([done = std::move(done)](const std::exception_ptr& failure) {
      const auto completed = steady_now();
      done(completed, failure ? std::optional(message_of(failure)) : std::nullopt);
    });
    request_.start_async();
  } catch (const ov::Exception& e) {
    fail(where_, e.what());
  }

  void wait() override try { request_.wait(); } catch (const std::exception& e) {
    fail(where_, e.what());
  }

 private:
  ov::InferRequest request_;
  std::string where_;
};

class OpenVinoSession : public Session {
 public:
  OpenVinoSession(ov::CompiledModel compiled, const Graph* graph, std::string device, std::string where, bool profile)
      : compiled_(std::move(compiled)),
        request_(compiled_.create_infer_request()),
        inputs_(ports_of(compiled_.inputs(), graph_names(graph, &Graph::inputs))),
        outputs_(ports_of(compiled_.outputs(), graph_names(graph, &Graph::outputs))),
        device_(std::move(device)),
        where_(std::move(where)),
        profile_(profile) {
    if (profile_) nodes_ = describe_nodes(*compiled_.get_runtime_model(), graph);
  }

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  std::string device() const override { return device_; }

  void set_inputs(const std::vector<HostTensor>& inputs) override try {
    check_inputs(inputs_, inputs, where_);
    set_on(request_, inputs);
    values_ = inputs;
  } catch (const ov::Exception& e) {
    fail(where_, e.what());
  }

  Nanoseconds run() override try {
    begin_ = wall_now();
    const auto start = steady_now();
    request_.infer();
    const auto stop = steady_now();
    end_ = wall_now();
    wall_ = stop - start;
    return wall_;
  } catch (const std::exception& e) {
    fail(where_, e.what());
  }

  std::optional<std::vector<OpSample>> last_ops() override try {
    if (!profile_ || wall_.count() == 0) return std::nullopt;
    return time_nodes(request_.get_profiling_info(), nodes_, begin_, end_, wall_);
  } catch (const ov::Exception& e) {
    fail(where_, e.what());
  }

  std::vector<HostTensor> outputs_of_last_run() override try {
    std::vector<HostTensor> result;
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      result.push_back(host_tensor(request_.get_output_tensor(i), outputs_[i].name));
    return result;
  } catch (const ov::Exception& e) {
    fail(where_, e.what());
  }

  std::unique_ptr<Request> make_request() override try {
    auto request = compiled_.create_infer_request();
    if (!values_.empty()) set_on(request, values_);
    return std::make_unique<OpenVinoRequest>(std::move(request), where_);
  } catch (const ov::Exception& e) {
    fail(where_, e.what());
  }

  std::vector<std::string> notes() override {
    if (!profile_) return {};
    return {
        "OpenVINO stamps the start of each node in whole microseconds; a node lasts until the next one starts, so gaps "
        "between nodes count to the earlier one"};
  }

 private:
  // Each request gets tensors of its own: requests of one compiled model may run at the same time.
  void set_on(ov::InferRequest& request, const std::vector<HostTensor>& inputs) {
    for (const auto& input : inputs) {
      const auto port = std::find_if(inputs_.begin(), inputs_.end(), [&](auto& p) { return p.name == input.name; });
      const auto index = static_cast<std::size_t>(port - inputs_.begin());
      request.set_input_tensor(index, foreign_tensor(input, compiled_.input(index).get_element_type()));
    }
  }

  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  std::vector<Port> inputs_, outputs_;
  std::string device_, where_;
  bool profile_;
  NodeTable nodes_;
  std::vector<HostTensor> values_;
  Nanoseconds begin_{}, end_{}, wall_{};
};

ov::AnyMap compile_settings(const std::string& device, const SessionSettings& settings) {
  ov::AnyMap map{ov::enable_profiling(settings.profile_ops)};
  if (device.rfind("CPU", 0) != 0) return map;
  // Without the hint a CPU with bf16 computes in it, silently and unlike the model. One stream: counters belong to it.
  map.insert(ov::hint::inference_precision(ov::element::f32));
  map.insert(ov::num_streams(1));
  if (settings.threads) map.insert(ov::inference_num_threads(*settings.threads));
  return map;
}

// AUTO, MULTI and HETERO choose; the session says what was chosen.
std::string real_device(const ov::CompiledModel& compiled, const std::string& device) {
  if (device != "AUTO" && device.find(':') == std::string::npos) return device;
  return fmt::format("{}", fmt::join(compiled.get_property(ov::execution_devices), ","));
}

}  // namespace

std::vector<std::string> input_names(const ov::Model& model) {
  std::vector<std::string> names;
  for (const auto& port : ports_of(model.inputs(), {})) names.push_back(port.name);
  return names;
}

void fix_shapes(ov::Model& model, const std::map<std::string, Shape>& shapes, const std::string& where) {
  check_shape_names(input_names(model), shapes, where);
  std::map<std::string, ov::PartialShape> wanted;
  for (const auto& [name, shape] : shapes) {
    const auto& declared = std::as_const(model).input(name).get_partial_shape();
    const PartialShape fixed = declared.rank().is_dynamic() ? fix_shape(PartialShape(shape.size()), shape, where, name)
                                                            : fix_shape(partial_shape(declared), shape, where, name);
    wanted[name] = foreign_shape(fixed);
  }
  if (!wanted.empty()) model.reshape(wanted);
}

std::unique_ptr<Session> open_session(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                                      const std::filesystem::path& path, const Graph* graph, const std::string& device,
                                      const SessionSettings& settings) {
  auto compiled = core.compile_model(model, device, compile_settings(device, settings));
  return std::make_unique<OpenVinoSession>(compiled, graph, real_device(compiled, device), where(path, "openvino"),
                                           settings.profile_ops);
}

}  // namespace takt::openvino
