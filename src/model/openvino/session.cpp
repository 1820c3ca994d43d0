#include "model/openvino/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <openvino/openvino.hpp>
#include <openvino/pass/serialize.hpp>
#include <set>
#include <sstream>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/openvino/ops.h"
#include "model/openvino/request.h"
#include "model/openvino/tensors.h"
#include "model/runtime/sdk_errors.h"
#include "model/runtime/tensor_checks.h"

namespace takt::openvino {
namespace {

std::string name_of(const ov::Output<const ov::Node>& port, std::size_t number) {
  const auto& names = port.get_names();
  if (names.empty()) return fmt::format("{}_{}", port.get_node()->get_friendly_name(), number);
  return *std::min_element(names.begin(), names.end());
}

std::vector<std::string> names_of(const std::vector<ov::Output<const ov::Node>>& ports) {
  std::vector<std::string> names;
  for (const auto& port : ports) names.push_back(name_of(port, names.size()));
  return names;
}

/// Of the outputs of the model as it was read: the first have the model's own names.
std::vector<std::string> output_names(const ov::Model& read, const std::vector<std::string>& own) {
  std::vector<std::string> names = names_of(read.outputs());
  if (own.size() <= names.size()) std::copy(own.begin(), own.end(), names.begin());
  return names;
}

/// Names come from the model as it was read, by position.
std::vector<Port> ports_of(const std::vector<ov::Output<const ov::Node>>& ports,
                           const std::vector<std::string>& names) {
  std::vector<Port> result;
  for (std::size_t i = 0; i < ports.size(); ++i)
    result.push_back({i < names.size() ? names[i] : name_of(ports[i], i), element_type(ports[i].get_element_type()),
                      partial_shape(ports[i].get_partial_shape())});
  return result;
}

struct PortsOfModel {
  std::vector<std::string> inputs, outputs;
};

/// The type that the device may choose kernels of, which is no promise; nullopt: it does not tell.
std::optional<ElementType> allowed_precision(const ov::CompiledModel& compiled) {
  const auto properties = compiled.get_property(ov::supported_properties);
  if (std::find(properties.begin(), properties.end(), ov::hint::inference_precision.name()) == properties.end())
    return std::nullopt;
  return element_type(compiled.get_property(ov::hint::inference_precision));
}

class OpenVinoSession : public Session {
 public:
  OpenVinoSession(ov::CompiledModel compiled, const PortsOfModel& names, const Graph* graph, std::string device,
                  std::string where, const SessionSettings& settings, std::vector<std::string> notes, StartUp start_up,
                  bool has_state)
      : compiled_(std::move(compiled)),
        inference_(compiled_.create_infer_request(), shared_),
        device_(std::move(device)),
        // The runtime's own threads belong to its streams; without a hint there is one of it, see OpenVinoRequest.
        own_threads_(device_.rfind("CPU", 0) == 0 && !settings.hint),
        notes_(std::move(notes)),
        start_up_(start_up),
        has_state_(has_state) {
    shared_.inputs = ports_of(compiled_.inputs(), names.inputs);
    shared_.outputs = ports_of(compiled_.outputs(), names.outputs);
    for (const auto& input : compiled_.inputs()) shared_.input_types.push_back(input.get_element_type());
    shared_.profile = settings.profile_ops;
    shared_.resets_state = has_state && !settings.keep_state;
    if (settings.profile_ops) shared_.nodes = describe_nodes(*compiled_.get_runtime_model(), graph);
    shared_.where = std::move(where);
  }

  const std::vector<Port>& inputs() const override { return shared_.inputs; }
  const std::vector<Port>& outputs() const override { return shared_.outputs; }
  std::string device() const override { return device_; }

  void set_inputs(const std::vector<HostTensor>& inputs) override {
    check_inputs(shared_.inputs, inputs, shared_.where);
    guarded(shared_.where, [&] { set_on(inference_.request(), inputs); });
    values_ = inputs;
  }

  Nanoseconds run() override {
    return guarded({shared_.where, running_it}, [&] {
      inference_.begin();
      inference_.request().infer();
      inference_.finish(steady_now());
      return inference_.wall();
    });
  }

  bool reset_state() override {
    if (has_state_) guarded(shared_.where, [&] { inference_.reset_state(); });
    return has_state_;
  }

  std::optional<std::vector<OpSample>> last_ops() override {
    return guarded(shared_.where, [&] { return inference_.ops(); });
  }

  std::vector<HostTensor> outputs_of_last_run() override {
    return guarded(shared_.where, [&] { return inference_.outputs(); });
  }

  std::unique_ptr<Request> make_request() override {
    return guarded(shared_.where, [&] {
      auto request = compiled_.create_infer_request();
      if (!values_.empty()) set_on(request, values_);
      return openvino::make_request(std::move(request), shared_, own_threads_);
    });
  }

  StartUp start_up() const override { return start_up_; }

  std::optional<Concurrency> concurrency() override {
    return guarded(shared_.where, [&] {
      Concurrency told;
      if (const auto best = property(ov::optimal_number_of_infer_requests)) told.requests = static_cast<int>(*best);
      if (const auto streams = property(ov::num_streams)) told.streams = streams->num;
      told.threads = property(ov::inference_num_threads);
      return told;
    });
  }

  std::optional<ElementType> precision() const override {
    return guarded(shared_.where, [&] { return most_computed_in(*compiled_.get_runtime_model()); });
  }

  std::vector<std::string> notes() override { return notes_; }

  std::string clock_note() const override {
    if (!shared_.profile) return "";
    return "OpenVINO reports the start of each node in whole microseconds. A node lasts until the next one starts; the "
           "last one, and one that shapes depend on, lasts as long as its own counter says";
  }

 private:
  /// nullopt: the device has no such property.
  template <typename T, ov::PropertyMutability Mutability>
  std::optional<T> property(const ov::Property<T, Mutability>& wanted) const {
    const auto known = compiled_.get_property(ov::supported_properties);
    if (std::find(known.begin(), known.end(), wanted.name()) == known.end()) return std::nullopt;
    return compiled_.get_property(wanted);
  }

  // Each request gets tensors of its own: requests of one compiled model may run at the same time.
  void set_on(ov::InferRequest& request, const std::vector<HostTensor>& inputs) {
    for (const auto& input : inputs) {
      const auto port =
          std::find_if(shared_.inputs.begin(), shared_.inputs.end(), [&](auto& p) { return p.name == input.name; });
      const auto index = static_cast<std::size_t>(port - shared_.inputs.begin());
      request.set_input_tensor(index, foreign_tensor(input, compiled_.input(index).get_element_type()));
    }
  }

  ov::CompiledModel compiled_;
  Shared shared_;
  Inference inference_;
  std::string device_;
  bool own_threads_;
  std::vector<std::string> notes_;
  StartUp start_up_;
  bool has_state_;
  std::vector<HostTensor> values_;
};

ov::element::Type foreign_type(ElementType type) {
  if (type == ElementType::f16) return ov::element::f16;
  return type == ElementType::bf16 ? ov::element::bf16 : ov::element::f32;
}

/// What the device was told, or chose, to compute floating-point operators in.
std::vector<std::string> precision_notes(const ov::CompiledModel& compiled, const SessionSettings& settings) {
  const auto told = allowed_precision(compiled);
  if (!told) return {};
  const ElementType real = *told;
  if (!settings.precision) {
    if (real == ElementType::f32 || real == ElementType::undefined) return {};
    return {fmt::format("the device may compute in {}, its default; --precision f32 computes as an f32 model specifies",
                        type_name(real))};
  }
  if (real == *settings.precision) return {fmt::format("the device may compute in {}, as requested", type_name(real))};
  return {
      fmt::format("{} was requested, but the device computes in {}", type_name(*settings.precision), type_name(real))};
}

/// Names of the variables that keep the model's state from one inference to the next.
std::vector<std::string> variables_of(const ov::Model& model) {
  std::vector<std::string> names;
  for (const auto& variable : model.get_variables()) names.push_back(variable->get_info().variable_id);
  std::sort(names.begin(), names.end());
  return names;
}

std::string state_note(const std::vector<std::string>& variables, bool is_kept) {
  constexpr std::size_t most_named = 4;
  const auto named = std::min(variables.size(), most_named);
  std::string names;
  for (std::size_t i = 0; i < named; ++i) names += (i == 0 ? "" : ", ") + printable(variables[i]);
  if (named < variables.size()) names += fmt::format(" and {} more", variables.size() - named);
  return fmt::format("the model keeps state from run to run (variable{} {}); {}", variables.size() == 1 ? "" : "s",
                     names,
                     is_kept ? "as asked for, each run continues the one before" : "it is reset before every run");
}

void set_on_cpu(ov::AnyMap& map, const SessionSettings& settings) {
  // Unset, a CPU with bf16 computes in it: what a user of OpenVINO gets, so what is measured. A note says so.
  if (settings.precision) map.insert(ov::hint::inference_precision(foreign_type(*settings.precision)));
  if (!settings.hint || settings.profile_ops) map.insert(ov::num_streams(1));  // counters belong to the stream
  for (const auto& [name, value] : properties_of(settings.threads, settings.tuning)) map[name] = value;
}

ov::AnyMap compile_settings(const std::string& device, const SessionSettings& settings) {
  ov::AnyMap map{ov::enable_profiling(settings.profile_ops)};
  if (!settings.cache.empty()) map.insert(ov::cache_dir(settings.cache.string()));
  if (settings.hint)
    map.insert(ov::hint::performance_mode(*settings.hint == Hint::latency ? ov::hint::PerformanceMode::LATENCY
                                                                          : ov::hint::PerformanceMode::THROUGHPUT));
  if (settings.hint && settings.requests)
    map.insert(ov::hint::num_requests(static_cast<std::uint32_t>(*settings.requests)));
  if (settings.streams) map.insert(ov::num_streams(*settings.streams));
  if (device.rfind("CPU", 0) == 0) set_on_cpu(map, settings);
  for (const auto& [name, value] : settings.properties) map[name] = value;
  return map;
}

ov::CompiledModel compile(ov::Core& core, const std::shared_ptr<ov::Model>& model, const std::string& device,
                          SessionSettings settings) try {
  return core.compile_model(model, device, compile_settings(device, settings));
} catch (const ov::Exception&) {
  auto& pinning = settings.tuning["pinning"];
  if (pinning != "own") throw;
  pinning = "off";  // there are fewer cores to be had than it seemed
  return core.compile_model(model, device, compile_settings(device, settings));
}

// AUTO, MULTI and HETERO choose; the session says what was chosen.
std::string real_device(const ov::CompiledModel& compiled, const std::string& device) {
  if (device != "AUTO" && device.find(':') == std::string::npos) return device;
  return fmt::format("{}", fmt::join(compiled.get_property(ov::execution_devices), ","));
}

}  // namespace

Properties properties_of(std::optional<int> threads, const Tuning& tuning) {
  Properties properties;
  if (threads) properties[ov::inference_num_threads.name()] = std::to_string(*threads);
  const auto yes_no = [](const std::string& value) { return value != "off" ? "YES" : "NO"; };
  for (const auto& [name, value] : tuning) {
    if (name == "pinning") properties[ov::hint::enable_cpu_pinning.name()] = yes_no(value);
    if (name == "pinning" && value == "own")  // cores that no other session is bound to
      properties[ov::hint::enable_cpu_reservation.name()] = "YES";
    if (name == "hyper_threading") properties[ov::hint::enable_hyper_threading.name()] = yes_no(value);
    if (name == "hint") properties[ov::hint::performance_mode.name()] = upper_case(value);
  }
  return properties;
}

void name_inputs(ov::Model& model, const std::vector<std::string>& names) {
  const auto& parameters = model.get_parameters();
  if (parameters.size() != names.size()) return;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!names[i].empty()) parameters[i]->output(0).set_names({names[i]});
}

/// With other sizes than the model fixes, what refuses is mostly a constant inside of it.
static void reshape(ov::Model& model, const std::map<std::size_t, ov::PartialShape>& shapes, const std::string& where) {
  try {
    model.reshape(shapes);
  } catch (const std::exception& e) {
    throw Error(ErrorKind::bad_input, fmt::format("{}: cannot be reshaped to these inputs, export it with open "
                                                  "dimensions: {}",
                                                  where, one_sentence(e.what())));
  }
}

void fix_shapes(ov::Model& model, const std::map<std::string, Shape>& shapes, std::optional<std::size_t> free_axis,
                const std::string& where) {
  const auto inputs = std::as_const(model).inputs();
  const std::vector<std::string> names = names_of(inputs);
  check_shape_names(names, shapes, where);
  std::map<std::size_t, ov::PartialShape> wanted;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto shape = shapes.find(names[i]);
    if (shape == shapes.end()) continue;
    const auto& declared = inputs[i].get_partial_shape();
    PartialShape open = declared.rank().is_dynamic() ? PartialShape(shape->second.size()) : partial_shape(declared);
    if (free_axis && *free_axis < open.size()) open[*free_axis] = {};
    wanted[i] = foreign_shape(fix_shape(open, shape->second, where, names[i]));
  }
  if (!wanted.empty()) reshape(model, wanted, where);
}

// Its CPU plugin frees what it did not allocate when a string tensor passes through it.
static void refuse_strings(const ov::Model& model, const std::string& where) {
  for (const auto& ports : {ports_of(model.inputs(), {}), ports_of(model.outputs(), {})})
    for (const auto& port : ports)
      if (port.type == ElementType::string)
        throw Error(
            ErrorKind::unsupported,
            fmt::format("{}: '{}' holds strings, which OpenVINO's devices do not run; use --runtime onnxruntime", where,
                        port.name));
}

void show_all_tensors(ov::Model& model, const Graph* graph) {
  std::set<std::string_view> known;
  if (graph)
    for (const auto& tensor : graph->tensors) known.insert(tensor.name);
  for (const auto& node : model.get_ordered_ops()) {
    const std::string type = node->get_type_name();
    if (type == "Constant" || type == "Parameter" || type == "Result") continue;
    for (auto& output : node->outputs()) {
      if (output.get_element_type().is_dynamic() || output.get_element_type() == ov::element::string) continue;
      const auto names = tensor_names(output);
      const bool is_known = std::any_of(names.begin(), names.end(), [&](auto& name) { return known.contains(name); });
      if (graph && !is_known) continue;
      if (output.get_names().empty()) output.set_names(names);  // an output without one is called Result_NUMBER
      model.add_output(output);
    }
  }
}

void write_model(const std::shared_ptr<ov::Model>& model, const std::filesystem::path& path) {
  if (path.extension() != ".xml")
    throw Error(ErrorKind::bad_input, fmt::format("{}: OpenVINO writes its model as NAME.xml and NAME.bin; name a .xml "
                                                  "file",
                                                  printable(path.string())));
  std::ostringstream xml, bin;
  ov::pass::Serialize(xml, bin).run_on_model(model);
  auto weights = path;
  write_file_atomically(weights.replace_extension(".bin"), bin.str());
  write_file_atomically(path, xml.str());
}

/// Of properties that it refused, the one that was meant. Plugins know more than they list, so they are asked first.
static void refuse_misspelt(ov::Core& core, const std::string& device, const Properties& properties,
                            const std::string& where) {
  if (properties.empty()) return;
  const auto supported = core.get_property(device, ov::supported_properties);
  const std::vector<std::string> known(supported.begin(), supported.end());
  for (const auto& [key, value] : properties) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (const auto near = nearest_word(key, known))
      throw Error(ErrorKind::bad_input, fmt::format("{}: --property {}: {} has no such property; did you mean '{}'?",
                                                    where, printable(key), device, *near));
  }
}

std::unique_ptr<Session> open_session(ov::Core& core, const std::shared_ptr<ov::Model>& model,
                                      const ModelSource& source, const std::string& device,
                                      const SessionSettings& settings, Nanoseconds read) {
  const std::string place = where(source.path, "openvino");
  refuse_strings(*model, place);
  const ov::Model& as_read = *model;
  const PortsOfModel names{names_of(as_read.inputs()), output_names(as_read, source.outputs)};
  const std::vector<std::string> variables = variables_of(as_read);
  const Nanoseconds before = steady_now();
  ov::CompiledModel compiled;
  try {
    compiled = compile(core, model, device, settings);
  } catch (const ov::Exception&) {
    refuse_misspelt(core, device, settings.properties, place);
    throw;
  }
  StartUp start_up{read, steady_now() - before, {}};
  if (!settings.cache.empty()) start_up.from_cache = compiled.get_property(ov::loaded_from_cache);
  if (!settings.executed_graph.empty())
    write_model(std::const_pointer_cast<ov::Model>(compiled.get_runtime_model()), settings.executed_graph);
  std::vector<std::string> notes = precision_notes(compiled, settings);
  if (!variables.empty()) notes.push_back(state_note(variables, settings.keep_state));
  return std::make_unique<OpenVinoSession>(compiled, names, source.graph, real_device(compiled, device), place,
                                           settings, std::move(notes), start_up, !variables.empty());
}

}  // namespace takt::openvino
