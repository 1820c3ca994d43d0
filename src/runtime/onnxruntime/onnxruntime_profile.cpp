#include "runtime/onnxruntime/onnxruntime_profile.h"

#include <algorithm>

#include <fmt/format.h>
#include <simdjson.h>

#include <string_view>

#include "core/error.h"

namespace takt::ort {
namespace {

constexpr std::string_view kernel_suffix = "_kernel_time";

std::string text(simdjson::ondemand::object& object, std::string_view key) {
  std::string_view value;
  return object[key].get_string().get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

Nanoseconds microseconds(simdjson::ondemand::object& event, std::string_view key) {
  return std::chrono::microseconds(std::int64_t(event[key].get_int64()));
}

/// A node lasts until the next one starts, the definition that OpenVINO's stamps force on its nodes too, so that tables
/// of the two compare. Between two kernels ONNX Runtime dispatches and writes its record of the last one, 1 to 5 us per
/// node; whole microseconds cut off at both ends of a kernel would lose one more.
void extend_to_next(ProfiledRun& run) {
  for (std::size_t i = 0; i + 1 < run.size(); ++i)
    run[i].duration = std::max(run[i].duration, run[i + 1].start - run[i].start);
}

/// Adds a kernel's event to `open`; closes the inference at the event of the whole call, which is written last.
void add_event(simdjson::ondemand::object event, ProfiledRun& open, std::vector<ProfiledRun>& runs) {
  std::string category = text(event, "cat"), name = text(event, "name");
  if (category == "Session" && name == "model_run") {
    const auto begin = microseconds(event, "ts");
    for (auto& node : open) node.start -= begin;
    extend_to_next(open);
    runs.push_back(std::move(open));
    open.clear();
    return;
  }
  if (category != "Node" || !name.ends_with(kernel_suffix)) return;
  name.resize(name.size() - kernel_suffix.size());
  ProfiledNode node{std::move(name), {}, {}, microseconds(event, "ts"), microseconds(event, "dur")};
  simdjson::ondemand::object arguments;
  if (event["args"].get_object().get(arguments) == simdjson::SUCCESS) {
    node.provider = text(arguments, "provider");
    node.op_type = text(arguments, "op_name");
  }
  open.push_back(std::move(node));
}

}  // namespace

std::vector<ProfiledRun> read_profile(const std::filesystem::path& path) try {
  const auto json = simdjson::padded_string::load(path.string()).value();
  simdjson::ondemand::parser parser;
  auto document = parser.iterate(json);
  std::vector<ProfiledRun> runs;
  ProfiledRun open;
  for (auto event : document.get_array()) add_event(event.get_object(), open, runs);
  return runs;
} catch (const simdjson::simdjson_error& e) {
  throw Error(ErrorKind::runtime, fmt::format("onnxruntime: its profile cannot be read: {}", e.what()));
}

}  // namespace takt::ort
