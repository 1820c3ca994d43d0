#include "trace/events/recorder_faults.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>

namespace takt {

void add_recorder_faults(const std::string& provenance_json, FaultList& faults) {
  const auto provenance = nlohmann::json::parse(provenance_json, nullptr, false);
  if (!provenance.is_object() || !provenance.contains("recorder") || !provenance["recorder"].is_object()) return;
  const auto& recorder = provenance["recorder"];
  if (const auto dropped = recorder.find("dropped");
      dropped != recorder.end() && dropped->is_number_unsigned() && *dropped > 0u) {
    const auto place = [&] {
      const auto first = recorder.find("first_dropped_ns");
      return first != recorder.end() && first->is_number_integer() ? fmt::format("{} ns", first->get<std::int64_t>())
                                                                   : std::string("an unknown time");
    };
    faults.add(TraceRule::dropped_events, 0, place, dropped->get<std::uint64_t>());
  }
  if (const auto ended = recorder.find("ended"); ended != recorder.end() && ended->is_boolean() && !ended->get<bool>())
    faults.add(TraceRule::recording_cut, 0, [] { return std::string("the end"); });
}

}  // namespace takt
