// Operators of ONNX Runtime's profile: its events (ort_events.h) added up by node, their arguments as shapes and bytes.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/statistics/statistics.h"
#include "measure/profiles/foreign_profile.h"
#include "measure/profiles/peer_types.h"
#include "model/onnxruntime/ort_events.h"

namespace takt {
namespace {

constexpr std::uint64_t event_cap = 1'000'000;  // ONNX Runtime drops further events without a word

double microseconds(Nanoseconds time) { return Duration(time).count(); }

/// ONNX Runtime writes C++ names of floats and NumPy's of all others; what takt does not know stays as it is.
std::string peer_type_of(std::string_view type) {
  if (type == "float") return peer_type(ElementType::f32);
  if (type == "double") return peer_type(ElementType::f64);
  for (int number = 1; number <= static_cast<int>(ElementType::i2); ++number)
    if (const auto known = static_cast<ElementType>(number); type == type_name(known)) return peer_type(known);
  return std::string(type);
}

/// Those of one event, by key.
class Arguments {
 public:
  Arguments(const OrtEvents& events, const OrtNodeEvent& node)
      : trace_(events.trace), args_(trace_.args(trace_.events()[node.event])) {}

  bool empty() const { return args_.empty(); }

  /// Written as a number or, as ONNX Runtime does, as text.
  std::optional<double> number(std::string_view key) const {
    const auto value = find(key);
    if (!value) return std::nullopt;
    if (const auto* whole = std::get_if<std::int64_t>(&*value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&*value)) return *real;
    const auto* id = std::get_if<StringId>(&*value);
    if (!id || trace_.text(*id).empty()) return std::nullopt;
    return number_in<double>(trace_.text(*id));
  }

 private:
  std::optional<decltype(TraceArg::value)> find(std::string_view key) const {
    for (const TraceArg& arg : args_)
      if (trace_.text(arg.key) == key) return arg.value;
    return std::nullopt;
  }

  const Trace& trace_;
  TraceArgs args_;
};

/// Bytes in, out and of constants; weights that were packed before the run are in no list, so a matrix product gets
/// those of its B back, and a convolution without its weights stays unknown.
std::optional<std::int64_t> bytes_of(const Arguments& arguments, const ForeignOperator& op) {
  double sum = 0;
  for (const char* key : {"activation_size", "parameter_size", "output_size"}) {
    const auto size = arguments.number(key);
    if (!size || *size < 0 || *size > 1e17) return std::nullopt;
    sum += *size;
  }
  if (op.input_shapes && op.input_shapes->size() < 2 && op.output_shapes && !op.output_shapes->empty()) {
    if (op.type.find("Conv") != std::string::npos) return std::nullopt;
    const bool product = op.type.find("MatMul") != std::string::npos || op.type.find("Gemm") != std::string::npos;
    const Shape& out = op.output_shapes->front();
    const auto outputs = element_count(out);
    if (product && (!op.flops || out.empty() || !outputs || *outputs == 0)) return std::nullopt;
    if (product) sum += *op.flops / 2 / static_cast<double>(*outputs) * static_cast<double>(out.back()) * sizeof(float);
  }
  return sum < 1e18 ? std::optional(static_cast<std::int64_t>(sum)) : std::nullopt;
}

constexpr auto none = static_cast<std::size_t>(-1);

class Reader {
 public:
  Reader(std::string_view text, std::string origin) : origin_(std::move(origin)) {
    read_ort_events(text, origin_, events_);
  }

  ForeignProfile read() {
    place_all();
    if (operators_.empty()) refuse("has no ONNX Runtime operator; profile the session, and run it");
    ForeignProfile profile;
    profile.kind = "ONNX Runtime profile", profile.run_word = "run";
    add_samples(profile);
    if (events_.ends_early) profile.notes.push_back("The file ends early; it was read up to its last complete event.");
    if (events_.file_events >= event_cap)
      profile.notes.push_back("ONNX Runtime stops recording after 1,000,000 events, and this file is that long.");
    if (events_.unreadable > 0)
      profile.notes.push_back(fmt::format("Events that could not be read: {}.", events_.unreadable));
    if (!accelerators_.empty())
      profile.notes.push_back(fmt::format(
          "Operators on {} have host times only: the profile has their launches, not their execution.", accelerators_));
    if (!accelerators_.empty()) note_left(profile);
    profile.operators = std::move(operators_);
    return profile;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_input, origin_ + ": " + what); }

  /// A fence is no operator: it is what a node waited for. Its event has the node's name, but not its index (ONNX
  /// Runtime up to 1.20 writes them), and comes before the node's own.
  void place_all() {
    of_node_.assign(events_.nodes.size(), none);
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (!events_.nodes[i].is_wait) of_node_[i] = place(events_.nodes[i]);
    std::unordered_map<std::string_view, std::size_t> named;
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (of_node_[i] != none) named.try_emplace(events_.nodes[i].name, of_node_[i]);
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (const auto op = named.find(events_.nodes[i].name); of_node_[i] == none && op != named.end())
        of_node_[i] = op->second;
  }

  /// Finds the node's operator, which is new or known by name and index.
  std::size_t place(const OrtNodeEvent& node) {
    const std::string key = fmt::format("{}\n{}", node.name, events_.text_of(node, "node_index"));
    const auto [place, added] = places_.try_emplace(key, operators_.size());
    if (added) {
      operators_.emplace_back().name = std::string(node.name);
      described_.push_back(false);
    }
    const std::size_t op = place->second;
    if (described_[op]) return op;
    const Arguments arguments(events_, node);
    described_[op] = !arguments.empty();
    if (described_[op]) describe(operators_[op], node, arguments);
    return op;
  }

  void describe(ForeignOperator& op, const OrtNodeEvent& node, const Arguments& arguments) {
    op.type = std::string(events_.text_of(node, "op_name"));
    op.kernel = std::string(events_.text_of(node, "provider"));
    if (auto inputs = events_.shapes_of(node, "input_type_shape")) {
      op.input_shapes = std::move(inputs->shapes);
      op.input_types.clear();
      for (const std::string& type : inputs->types) op.input_types.push_back(peer_type_of(type));
    }
    if (auto outputs = events_.shapes_of(node, "output_type_shape")) op.output_shapes = std::move(outputs->shapes);
    if (op.input_shapes && op.output_shapes) op.flops = flops_from_shapes(op.type, *op.input_shapes, *op.output_shapes);
    op.bytes = bytes_of(arguments, op);
  }

  void add_samples(ForeignProfile& profile) {
    const bool one_run = events_.runs.empty();
    profile.runs = one_run ? 1 : events_.runs.size();
    for (const OrtRun& run : events_.runs) profile.run_times.emplace_back(run.duration);
    if (one_run) profile.notes.push_back("No run is complete; all operators are shown as one run.");
    std::size_t outside = 0;
    std::vector<bool> waits(operators_.size(), false);
    reserve_samples(profile.runs);
    for (std::size_t i = 0; i < events_.nodes.size(); ++i) {
      const OrtNodeEvent& node = events_.nodes[i];
      if (of_node_[i] == none) continue;  // a fence of a node that never ran
      const auto run = one_run ? std::optional<std::size_t>(0) : node.run;
      ForeignOperator& op = operators_[of_node_[i]];
      if (!run)
        ++outside;
      else if (!node.is_wait)
        op.host[*run] += node.self();  // what its body took is told by the operators in it
      else
        waits[of_node_[i]] = true, op.waits[*run] += node.duration;
    }
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (!note_accelerator(operators_[i])) operators_[i].device = operators_[i].host;
      if (!waits[i]) operators_[i].waits.clear();
    }
    if (outside > 0)
      profile.notes.push_back(fmt::format("Operator events of incomplete runs are left out: {}.", outside));
    note_first_run(profile);
  }

  void reserve_samples(std::size_t runs) {
    // A file of a gigabyte can name a million operators once each; that many samples of each would fill any memory.
    if (static_cast<double>(runs) * static_cast<double>(operators_.size()) > 2e8)
      refuse("has more operators and runs than a profile can have");
    for (ForeignOperator& op : operators_) op.host.resize(runs), op.waits.resize(runs);
  }

  bool note_accelerator(const ForeignOperator& op) {
    for (const std::string_view word : {"CUDA", "Tensorrt", "TensorRT", "ROCM", "MIGraphX", "Dml", "WebGpu"})
      if (op.kernel.find(word) != std::string::npos) {
        if (accelerators_.find(op.kernel) == std::string::npos)
          accelerators_ += (accelerators_.empty() ? "" : ", ") + op.kernel;
        return true;
      }
    return false;
  }

  /// In a session with an accelerator, what the CPU's provider ran is what the accelerator has no kernel for.
  void note_left(ForeignProfile& profile) const {
    std::size_t left = 0, copies = 0;
    Duration time{};
    for (const ForeignOperator& op : operators_) {
      if (op.type == "MemcpyToHost" || op.type == "MemcpyFromHost") ++copies;
      if (op.kernel != "CPUExecutionProvider") continue;
      ++left;
      for (const Duration one : op.host) time += one;
    }
    if (left == 0) return;
    profile.notes.push_back(
        fmt::format("{} of {} operators fell back to the CPU, {} per run; nodes that copy between the two: {}.", left,
                    operators_.size() - copies, format_duration(time / static_cast<double>(profile.runs)), copies));
  }

  /// The first run of a session packs weights and fills the allocator; who averages over it should know.
  void note_first_run(ForeignProfile& profile) const {
    if (events_.runs.size() < 3) return;
    std::vector<double> others;
    for (std::size_t i = 1; i < events_.runs.size(); ++i) others.push_back(microseconds(events_.runs[i].duration));
    const double usual = *median(others);
    const double first = microseconds(events_.runs[0].duration);
    if (usual > 0 && first > 1.5 * usual)
      profile.notes.push_back(fmt::format("The first run took {:.1f} times the median of the others.", first / usual));
  }

  std::string origin_;
  OrtEvents events_;
  std::vector<ForeignOperator> operators_;
  std::vector<std::size_t> of_node_;  ///< operator of each of events_.nodes
  std::vector<bool> described_;
  std::unordered_map<std::string, std::size_t> places_;
  std::string accelerators_;
};

}  // namespace

ForeignProfile parse_ort_profile(const PaddedText& text, const std::string& origin) {
  return Reader(text.text(), origin).read();
}

}  // namespace takt
