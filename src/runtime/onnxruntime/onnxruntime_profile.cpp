#include "runtime/onnxruntime/onnxruntime_profile.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/ort_events.h"
#include "core/error.h"
#include "core/file.h"

namespace takt::ort {
namespace {

/// A node lasts until the next one starts, the definition that OpenVINO's stamps force on its nodes too, so that tables
/// of the two compare. Between two kernels ONNX Runtime dispatches and writes its record of the last one, 1 to 5 us per
/// node; whole microseconds cut off at both ends of a kernel would lose one more.
void extend_to_next(ProfiledRun& run) {
  for (std::size_t i = 0; i + 1 < run.size(); ++i)
    run[i].duration = std::max(run[i].duration, run[i + 1].start - run[i].start);
}

}  // namespace

std::vector<ProfiledRun> read_profile(const std::filesystem::path& path) try {
  const MappedFile file(path);
  OrtEvents events;
  read_ort_events(file.text(), "its profile", events);
  std::vector<ProfiledRun> runs(events.runs.size());
  for (const OrtNodeEvent& node : events.nodes) {
    if (!node.run || node.is_wait) continue;
    runs[*node.run].push_back({std::string(node.name), std::string(events.text_of(node, "provider")),
                               std::string(events.text_of(node, "op_name")), node.start - events.runs[*node.run].start,
                               node.duration});
  }
  for (ProfiledRun& run : runs) extend_to_next(run);
  return runs;
} catch (const Error& error) {
  throw Error(ErrorKind::runtime, fmt::format("onnxruntime: {}", error.what()));
}

}  // namespace takt::ort
