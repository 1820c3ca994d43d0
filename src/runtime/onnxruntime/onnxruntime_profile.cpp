#include "runtime/onnxruntime/onnxruntime_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/ort_events.h"
#include "core/error.h"
#include "core/file.h"

namespace takt::ort {
namespace {

/// A node lasts until the next one of the same graph starts, the definition that OpenVINO's stamps force on its nodes
/// too, so that tables of the two compare. Between two kernels ONNX Runtime dispatches and writes its record of the
/// last one, 1 to 5 us per node; whole microseconds cut off at both ends of a kernel would lose one more. Between two
/// turns of a Loop or Scan it is the Loop that works: a node that comes again is the first of its turn.
class NodeTimes {
 public:
  explicit NodeTimes(const OrtEvents& events) : events_(events), lasts_(events.nodes.size()) {
    for (std::size_t i = 0; i < events.nodes.size(); ++i) lasts_[i] = events.nodes[i].duration;
    std::map<std::pair<std::optional<std::size_t>, std::optional<std::size_t>>, std::vector<std::size_t>> graphs;
    for (std::size_t i = 0; i < events.nodes.size(); ++i)
      if (events.nodes[i].run && !events.nodes[i].is_wait)
        graphs[{events.nodes[i].run, events.nodes[i].body_of}].push_back(i);
    for (auto& [graph, nodes] : graphs) extend(nodes);
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
      profile.runs[*event.run].push_back({event.start - events_.runs[*event.run].start, lasts_[i],
                                          std::min(inside[i], lasts_[i]), place->second, event.body_of.has_value()});
    }
    return profile;
  }

 private:
  ProfiledNode node_of(const OrtNodeEvent& event) const {
    ProfiledNode node{std::string(event.name), std::string(events_.text_of(event, "provider")),
                      std::string(events_.text_of(event, "op_name"))};
    if (auto inputs = events_.shapes_of(event, "input_type_shape")) node.input_shapes = std::move(inputs->shapes);
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
  std::vector<Nanoseconds> lasts_;
};

}  // namespace

Profile read_profile(const std::filesystem::path& path) try {
  const MappedFile file(path);
  OrtEvents events;
  read_ort_events(file.text(), "its profile", events);
  return NodeTimes(events).profile();
} catch (const Error& error) {
  throw Error(ErrorKind::runtime, fmt::format("onnxruntime: {}", error.what()));
}

}  // namespace takt::ort
