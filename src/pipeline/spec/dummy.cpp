// What stands for a model: a time, a wait, or a generated product of matrices.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/basics/text.h"
#include "pipeline/spec/stage.h"

namespace takt {
namespace {

constexpr Nanoseconds longest = std::chrono::hours(1);

std::map<std::string, Nanoseconds> read_times(const YamlSection& dummy, const std::filesystem::path& folder) {
  std::map<std::string, Nanoseconds> time_on;
  const YamlSection times(dummy.at("time"), dummy.origin(), dummy.full_name("time."), {});
  for (const auto& entry : times.node()) {
    std::filesystem::path description = "known";  // whether the device is there is asked where it is used
    if (!entry.first.IsScalar()) times.fail(entry.first, dummy.full_name("time"), "has a key that is not a device");
    const std::string typed = entry.first.Scalar(), key = times.full_name(typed);
    const auto built_in = built_in_devices();
    const bool known = std::find(built_in.begin(), built_in.end(),
                                 upper_case(typed.substr(std::min<std::size_t>(typed.size(), 4)))) != built_in.end();
    if (known) description.clear();
    time_on[read_device(times, entry.first, key, folder, description)] =
        times.duration_of(entry.second, key, Nanoseconds(0), longest);
  }
  return time_on;
}

void check_times_on_devices(const YamlSection& stage, const StageSpec& result) {
  if (!result.dummy || result.dummy->time_on.empty()) return;
  for (const auto& device : devices_of(result))
    if (!result.dummy->time_on.count(device))
      stage.fail(stage.at("dummy"), stage.full_name("dummy.time"),
                 fmt::format("has no time for {}, where the stage runs; add it", device));
}

/// What such a stage has no use for would be left out in silence.
void refuse_keys(const YamlSection& stage, std::initializer_list<const char*> keys, const char* why) {
  for (const char* key : keys)
    if (stage.has(key) && (stage.at(key).IsScalar() || stage.at(key).size() > 0))
      stage.fail(stage.at(key), stage.full_name(key), why);
}

}  // namespace

DummyModel read_dummy(const YamlSection& stage, const std::filesystem::path& folder) {
  const YamlSection dummy(stage.at("dummy"), stage.origin(), stage.full_name("dummy."),
                          {"time", "wait", "matmul", "partition", "merge"});
  DummyModel result;
  const std::array<std::string, 3> kinds{"time", "wait", "matmul"};
  if (std::count_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return dummy.has(kind); }) != 1)
    dummy.fail(dummy.node(), stage.full_name("dummy"), "needs one of 'time', 'wait' and 'matmul'; give one of them");
  result.matmul = dummy.integer("matmul", 1, 16384);
  result.wait = dummy.duration("wait", Nanoseconds(0), longest);
  result.partition = dummy.duration("partition", Nanoseconds(0), longest).value_or(Nanoseconds(0));
  result.merge = dummy.duration("merge", Nanoseconds(0), longest).value_or(Nanoseconds(0));
  if (dummy.has("time") && dummy.at("time").IsMap())
    result.time_on = read_times(dummy, folder);
  else
    result.time = dummy.duration("time", Nanoseconds(0), longest);
  return result;
}

void check_dummy(const YamlSection& stage, const StageSpec& result) {
  if (!result.dummy || result.dummy->matmul) return;
  refuse_keys(stage, {"data"}, "is for the inputs of a model, and this stage has none; leave it out");
  const auto devices = devices_of(result);
  if (!waits(result) && is_simulated(devices.front())) return check_times_on_devices(stage, result);
  refuse_keys(stage, {"inputs", "connect"},
              "is for the inputs of a model; this stage passes its input on (give its predecessors with 'after')");
  if (waits(result))
    return refuse_keys(stage, {"device", "split", "runtime", "threads"},
                       "is for stages that compute, and this stage waits; leave it out");
  if (devices.size() > 1 || devices.front() != "CPU")
    stage.fail(stage.at("dummy"), stage.full_name("dummy.time"),
               fmt::format("is for simulated devices or an unsplit CPU stage, and {} is neither; use a sim: device, "
                           "'wait' or 'matmul'",
                           fmt::join(devices, "+")));
  check_times_on_devices(stage, result);
  refuse_keys(stage, {"runtime", "threads"}, "is for models, and this stage keeps one thread busy; leave it out");
}

}  // namespace takt
