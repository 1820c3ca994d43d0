#include "model/onnxruntime/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "base/basics/error.h"
#include "base/files/file.h"
#include "model/onnxruntime/computed_in.h"
#include "model/onnxruntime/device_times.h"
#include "model/onnxruntime/ort_events.h"

namespace takt::ort {
namespace {

/// A node lasts until the next one of the same graph starts, the definition that OpenVINO's stamps force on its nodes
/// too, so that tables of the two compare. Between two kernels ONNX Runtime dispatches and writes its record of the
/// last one, 1 to 5 us per node; whole microseconds cut off at both ends of a kernel would lose one more. Between two
/// turns of a Loop or Scan it is the Loop that works: a node that comes again is the first of its turn.
class NodeTimes {
 public:
  explicit NodeTimes(const OrtEvents& events)
      : events_(events), starts_(events.nodes.size()), lasts_(events.nodes.size()) {
    for (std::size_t i = 0; i < events.nodes.size(); ++i)
      starts_[i] = events.nodes[i].start, lasts_[i] = events.nodes[i].duration;
    std::map<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>, std::vector<std::size_t>> graphs;
    for (std::size_t i = 0; i < events.nodes.size(); ++i)
      if (events.nodes[i].run && !events.nodes[i].is_wait)
        graphs[{events.nodes[i].run, events.nodes[i].body_of}].push_back(i);
    for (auto& [graph, nodes] : graphs) extend(nodes);
  }

  /// Nodes have the GPU's times from then on.
  void take(const std::vector<std::vector<GpuActivity>>& gpu) {
    std::vector<std::vector<std::size_t>> nodes(events_.runs.size());  // of each run, those around before those within
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (events_.nodes[i].run && !events_.nodes[i].is_wait) nodes[*events_.nodes[i].run].push_back(i);
    for (std::size_t run = 0; run < std::min(nodes.size(), gpu.size()); ++run) take(run, nodes[run], gpu[run]);
  }

  Profile profile() const {
    const std::vector<Nanoseconds> inside = inside_of_bodies();
    Profile profile;
    profile.runs.resize(events_.runs.size());
    std::unordered_map<std::string_view, std::uint32_t> places;
    for (std::size_t i = 0; i < events_.nodes.size(); ++i) {
      const OrtNodeEvent& event = events_.nodes[i];
      if (!event.run || event.is_wait) continue;
      const auto [place, is_new] = places.emplace(event.name, static_cast<std::uint32_t>(profile.nodes.size()));
      if (is_new) profile.nodes.push_back(node_of(event));
      profile.runs[*event.run].push_back({starts_[i] - events_.runs[*event.run].start, lasts_[i],
                                          std::min(inside[i], lasts_[i]), place->second, event.body_of.has_value()});
    }
    for (const OfNoNode& one : of_no_node_) {
      const auto [place, is_new] = places.emplace(name_of(one.kind), static_cast<std::uint32_t>(profile.nodes.size()));
      if (is_new)
        profile.nodes.push_back(
            {std::string(name_of(one.kind)), "CUDAExecutionProvider", "Memcpy", {}, {}, std::nullopt, false});
      profile.runs[one.run].push_back({one.start - events_.runs[one.run].start, one.lasts, {}, place->second, false});
    }
    return profile;
  }

 private:
  /// What the GPU did in a run for no node.
  struct OfNoNode {
    std::size_t run = 0;
    GpuActivity::Kind kind{};
    Nanoseconds start{}, lasts{};
  };

  static std::string_view name_of(GpuActivity::Kind kind) {
    switch (kind) {
      case GpuActivity::Kind::copy_to_gpu:
        return "inputs to GPU";
      case GpuActivity::Kind::copy_to_host:
        return "outputs to host";
      case GpuActivity::Kind::copy_on_gpu:
        return "copies on GPU";
      case GpuActivity::Kind::fill:
        return "fills on GPU";
      case GpuActivity::Kind::kernel:
        break;
    }
    return "kernels of no operator";
  }

  void take(std::size_t run, const std::vector<std::size_t>& nodes, const std::vector<GpuActivity>& gpu) {
    std::vector<GpuActivity> of_run;  // another session's may lie between runs
    for (const GpuActivity& one : gpu)
      if (events_.runs[run].contains(one.launched.value_or(one.start))) of_run.push_back(one);
    if (of_run.empty()) return;
    std::unordered_map<std::size_t, std::size_t> places;
    std::vector<HostSpan> spans;
    for (const std::size_t node : nodes) places.emplace(node, places.size());
    for (const std::size_t node : nodes) {
      const OrtNodeEvent& event = events_.nodes[node];
      const bool on_host = events_.text_of(event, "provider") == "CPUExecutionProvider";
      spans.push_back({event.start, event.start + lasts_[node], std::nullopt, on_host});
      if (const auto around = event.body_of ? places.find(*event.body_of) : places.end(); around != places.end())
        spans.back().within = around->second;
    }
    const DeviceTimes times = device_times(spans, of_run);
    std::vector<Nanoseconds> own(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      starts_[nodes[i]] = times.spans[i].start, lasts_[nodes[i]] = Nanoseconds(0);
      own[i] = times.spans[i].own;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i)  // and of those around it
      for (std::optional<std::size_t> at = i; at; at = spans[*at].within) lasts_[nodes[*at]] += own[i];
    for (std::size_t kind = 0; kind < times.others.size(); ++kind)
      if (const DeviceTime& other = times.others[kind]; other.any)
        of_no_node_.push_back({run, static_cast<GpuActivity::Kind>(kind), other.start, other.own});
  }

  ProfiledNode node_of(const OrtNodeEvent& event) const {
    ProfiledNode node{std::string(event.name), std::string(events_.text_of(event, "provider")),
                      std::string(events_.text_of(event, "op_name"))};
    if (auto inputs = events_.shapes_of(event, "input_type_shape")) {
      node.computed_in = computed_in(node.op_type, inputs->types);
      node.input_shapes = std::move(inputs->shapes);
    }
    if (auto outputs = events_.shapes_of(event, "output_type_shape")) node.output_shapes = std::move(outputs->shapes);
    return node;
  }

  void extend(std::vector<std::size_t>& nodes) {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](std::size_t a, std::size_t b) { return events_.nodes[a].start < events_.nodes[b].start; });
    std::set<std::string_view> turn;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const OrtNodeEvent& node = events_.nodes[nodes[i]];
      turn.insert(node.name);
      const OrtNodeEvent* next = i + 1 < nodes.size() ? &events_.nodes[nodes[i + 1]] : nullptr;
      if (next && turn.contains(next->name))
        turn.clear();
      else if (next)
        lasts_[nodes[i]] = std::max(lasts_[nodes[i]], next->start - node.start);
    }
  }

  std::vector<Nanoseconds> inside_of_bodies() const {
    std::vector<Nanoseconds> inside(events_.nodes.size());
    for (std::size_t i = 0; i < events_.nodes.size(); ++i)
      if (const OrtNodeEvent& node = events_.nodes[i]; node.run && node.body_of) inside[*node.body_of] += lasts_[i];
    return inside;
  }

  const OrtEvents& events_;
  std::vector<Nanoseconds> starts_, lasts_;
  std::vector<OfNoNode> of_no_node_;
};

}  // namespace

Profile read_profile(const std::filesystem::path& path, const std::vector<std::vector<GpuActivity>>& gpu) try {
  const MappedFile file(path);
  OrtEvents events;
  read_ort_events(file.text(), "its profile", events);
  NodeTimes times(events);
  times.take(gpu);
  return times.profile();
} catch (const Error& error) {
  throw Error(ErrorKind::runtime, fmt::format("onnxruntime: {}", error.what()));
}

}  // namespace takt::ort
