// ONNX Runtime's profile: one event per executed kernel, in whole microseconds, and one per run.
//
// Which run a kernel belongs to is settled by time, within the thread where that thread called run(), so that runs of
// several threads may interleave; kernels on threads of a pool belong to the run that surrounds them. The file is cut
// into events by takt rather than by a JSON parser, because ONNX Runtime neither escapes names nor closes the array
// when a process ends early: an event that is no JSON costs that event only.
#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "core/text.h"
#include "profile/foreign_profile.h"

namespace takt {
namespace {

namespace dom = simdjson::dom;

constexpr std::size_t event_cap = 1'000'000;  // ONNX Runtime drops further events without a word
constexpr double longest_us = 1e13;           // 115 days; more is no time

struct Span {
  double begin = 0, duration = 0;  // microseconds
  std::int64_t thread = 0;
  bool contains(double time) const { return begin <= time && time <= begin + duration; }
};

struct NodeEvent {
  Span span;
  std::size_t op = 0;  // into Reader::operators_
  bool is_wait = false;
};

std::string text_of(dom::object object, std::string_view key) {
  std::string_view value;
  return object[key].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

std::optional<double> number_of(dom::object object, std::string_view key) {
  dom::element value;
  double number = 0;
  if (object[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  if (value.is_number() && value.get(number) == simdjson::SUCCESS) return number;
  std::string_view text;  // args are strings
  if (value.get(text) != simdjson::SUCCESS || text.empty()) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::string peer_type(std::string_view type) {
  if (type == "float") return "Float32";
  if (type == "double") return "Float64";
  if (type == "bfloat16") return "BFloat16";
  if (type == "float16" || type == "bool" || type.starts_with("int") || type.starts_with("uint")) {
    std::string name(type);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
  }
  return std::string(type);
}

struct TypedShapes {
  std::vector<Shape> shapes;
  std::vector<std::string> types;
};

/// [{"float":[1,3,8,8]},…]; nullopt: not there, or of another form.
std::optional<TypedShapes> typed_shapes(dom::object arguments, std::string_view key) {
  dom::array list;
  if (arguments[key].get(list) != simdjson::SUCCESS) return std::nullopt;
  TypedShapes result;
  for (const dom::element entry : list) {
    dom::object object;
    if (entry.get(object) != simdjson::SUCCESS) return std::nullopt;
    for (const auto field : object) {
      dom::array extents;
      if (field.value.get(extents) != simdjson::SUCCESS) return std::nullopt;
      Shape shape;
      for (const dom::element extent : extents) {
        std::int64_t value = 0;
        if (extent.get(value) != simdjson::SUCCESS || value < 0) return std::nullopt;
        shape.push_back(value);
      }
      result.shapes.push_back(std::move(shape));
      result.types.push_back(peer_type(field.key));
    }
  }
  return result;
}

/// Bytes in, out and of constants; weights that were packed before the run are in no list, so a matrix product gets
/// those of its B back, and a convolution without its weights stays unknown.
std::optional<std::int64_t> bytes_of(dom::object arguments, const ForeignOperator& op) {
  double sum = 0;
  for (const char* key : {"activation_size", "parameter_size", "output_size"}) {
    const auto size = number_of(arguments, key);
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

class Reader {
 public:
  explicit Reader(std::string origin) : origin_(std::move(origin)) {}

  ForeignProfile read(std::string_view text) {
    const bool closed = for_each_event(text);
    if (operators_.empty()) refuse("holds no operator of ONNX Runtime; was the session profiled, and run?");
    ForeignProfile profile;
    profile.kind = "ONNX Runtime profile", profile.run_word = "run";
    assign_runs(profile);
    if (!closed) profile.notes.push_back("The file ends early; it was read up to its last whole event.");
    if (events_ >= event_cap)
      profile.notes.push_back("ONNX Runtime stops recording after 1,000,000 events, and this file is that long.");
    if (unreadable_ > 0) profile.notes.push_back(fmt::format("Events that could not be read: {}.", unreadable_));
    if (!accelerators_.empty())
      profile.notes.push_back(fmt::format(
          "Operators on {} have host times only: the profile holds their launches, not their work.", accelerators_));
    profile.operators = std::move(operators_);
    return profile;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw Error(ErrorKind::bad_input, origin_ + ": " + what); }

  /// Calls add_event for each object of the array; false: the array is not closed.
  bool for_each_event(std::string_view text) {
    std::size_t at = text.find('[');
    if (at == std::string_view::npos) refuse("is no Chrome trace: it has no list of events");
    const std::size_t first = text.find_first_not_of(" \t\r\n", at + 1);
    if (first != std::string_view::npos && text[first] != '{' && text[first] != ']')
      refuse("is JSON, but neither a profile nor a list of trace events");
    std::size_t begin = 0;
    int depth = 0;
    bool quoted = false;
    for (++at; at < text.size(); ++at) {
      const char c = text[at];
      if (quoted) {
        if (c == '\\') ++at;
        if (c == '"') quoted = false;
      } else if (c == '"') {
        quoted = true;
      } else if (c == '{') {
        if (depth++ == 0) begin = at;
      } else if (c == '}') {
        if (depth > 0 && --depth == 0) add_event(text.substr(begin, at - begin + 1));
      } else if (c == ']' && depth == 0) {
        return true;
      }
    }
    return false;
  }

  void add_event(std::string_view json) {
    ++events_;
    dom::object event;
    if (parser_.parse(json.data(), json.size(), true).get(event) != simdjson::SUCCESS) {
      ++unreadable_;
      return;
    }
    std::string_view category, name;
    if (event["cat"].get(category) != simdjson::SUCCESS || event["name"].get(name) != simdjson::SUCCESS) return;
    const bool whole_run = category == "Session" && name == "model_run";
    if (!whole_run && category != "Node") return;
    const auto begin = number_of(event, "ts"), duration = number_of(event, "dur"), thread = number_of(event, "tid");
    if (!begin || !duration || std::abs(*begin) > 1e15 || *duration < 0 || *duration > longest_us) {
      ++unreadable_;
      return;
    }
    const double id = thread && std::abs(*thread) < 1e15 ? *thread : 0;
    const Span span{*begin, *duration, static_cast<std::int64_t>(id)};
    if (whole_run)
      runs_.push_back(span);
    else
      add_node(event, name, span);
  }

  void add_node(dom::object event, std::string_view name, const Span& span) {
    constexpr std::string_view kernel = "_kernel_time", before = "_fence_before";
    const bool is_wait = name.ends_with(before);
    if (!is_wait && !name.ends_with(kernel)) return;
    name.remove_suffix((is_wait ? before : kernel).size());
    dom::object arguments;
    const bool described = event["args"].get(arguments) == simdjson::SUCCESS;
    const std::string index = described ? text_of(arguments, "node_index") : "";
    const std::string key = fmt::format("{}\n{}", name, index);
    const auto [place, added] = places_.try_emplace(key, operators_.size());
    if (added) {
      operators_.emplace_back().name = std::string(name);
      described_.push_back(false);
    }
    if (!is_wait && described && !described_[place->second]) {
      described_[place->second] = true;
      describe(operators_[place->second], arguments);
    }
    nodes_.push_back({span, place->second, is_wait});
  }

  void describe(ForeignOperator& op, dom::object arguments) {
    op.type = text_of(arguments, "op_name");
    op.kernel = text_of(arguments, "provider");
    if (auto inputs = typed_shapes(arguments, "input_type_shape")) {
      op.input_shapes = std::move(inputs->shapes);
      op.input_types = std::move(inputs->types);
    }
    if (auto outputs = typed_shapes(arguments, "output_type_shape")) op.output_shapes = std::move(outputs->shapes);
    if (op.input_shapes && op.output_shapes) op.flops = flops_from_shapes(op.type, *op.input_shapes, *op.output_shapes);
    op.bytes = bytes_of(arguments, op);
  }

  /// Index of the run that a node belongs to; runs_ is sorted by time. nullopt: none.
  std::optional<std::size_t> run_of(const NodeEvent& node) const {
    const auto& own = by_thread_.find(node.span.thread);
    const auto& candidates = own == by_thread_.end() ? all_ : own->second;
    auto after = std::upper_bound(candidates.begin(), candidates.end(), node.span.begin,
                                  [&](double time, std::size_t run) { return time < runs_[run].begin; });
    if (after == candidates.begin()) return std::nullopt;
    const std::size_t run = *--after;
    return runs_[run].contains(node.span.begin) ? std::optional(run) : std::nullopt;
  }

  void assign_runs(ForeignProfile& profile) {
    std::sort(runs_.begin(), runs_.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
    for (std::size_t i = 0; i < runs_.size(); ++i) all_.push_back(i), by_thread_[runs_[i].thread].push_back(i);
    const bool one_run = runs_.empty();
    profile.runs = one_run ? 1 : runs_.size();
    if (one_run) profile.notes.push_back("No run was recorded to its end; all operators are shown as one run.");
    std::size_t outside = 0;
    std::vector<bool> waits(operators_.size(), false), launches(operators_.size(), false);
    for (std::size_t i = 0; i < operators_.size(); ++i) launches[i] = note_accelerator(operators_[i]);
    reserve_samples(profile.runs);
    for (const NodeEvent& node : nodes_) {
      const auto run = one_run ? std::optional<std::size_t>(0) : run_of(node);
      ForeignOperator& op = operators_[node.op];
      if (!run)
        ++outside;
      else if (!node.is_wait)
        op.host[*run] += Duration(node.span.duration);
      else
        waits[node.op] = true, op.waits[*run] += Duration(node.span.duration);
    }
    for (std::size_t i = 0; i < operators_.size(); ++i) {
      if (!launches[i]) operators_[i].device = operators_[i].host;
      if (!waits[i]) operators_[i].waits.clear();
    }
    if (outside > 0)
      profile.notes.push_back(
          fmt::format("Operator events of runs that were not recorded to their end are left out: {}.", outside));
    note_first_run(profile);
  }

  void reserve_samples(std::size_t runs) {
    // A file of a gigabyte can name a million operators once each; that many samples of each would fill any memory.
    if (static_cast<double>(runs) * static_cast<double>(operators_.size()) > 2e8)
      refuse("names more operators and runs than a profile can hold");
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

  /// The first run of a session packs weights and fills the allocator; who averages over it should know.
  void note_first_run(ForeignProfile& profile) const {
    if (runs_.size() < 3) return;
    std::vector<double> others;
    for (std::size_t i = 1; i < runs_.size(); ++i) others.push_back(runs_[i].duration);
    std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(others.size() / 2), others.end());
    const double median = others[others.size() / 2];
    if (median > 0 && runs_[0].duration > 1.5 * median)
      profile.notes.push_back(fmt::format("The first run took {:.1f} times as long as the median of the others.",
                                          runs_[0].duration / median));
  }

  std::string origin_;
  dom::parser parser_;
  std::size_t events_ = 0, unreadable_ = 0;
  std::vector<ForeignOperator> operators_;
  std::vector<bool> described_;
  std::unordered_map<std::string, std::size_t> places_;
  std::vector<NodeEvent> nodes_;
  std::vector<Span> runs_;
  std::vector<std::size_t> all_;
  std::map<std::int64_t, std::vector<std::size_t>> by_thread_;
  std::string accelerators_;
};

}  // namespace

ForeignProfile parse_ort_profile(std::string_view text, const std::string& origin) { return Reader(origin).read(text); }

}  // namespace takt
