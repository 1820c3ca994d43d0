#include "trace/events/trace_origin.h"

#include <nlohmann/json.hpp>

namespace takt {

std::optional<std::int64_t> rank_of(const Trace& trace) {
  using nlohmann::json;
  const TraceProperty* const property = trace.property("distributedInfo");
  if (property == nullptr) return std::nullopt;
  const json info = json::parse(property->json, nullptr, false);
  if (!info.is_object() || !info.contains("rank")) return std::nullopt;
  const json& rank = info["rank"];
  // Some writers quote the number.
  const json number = rank.is_string() ? json::parse(rank.get<std::string>(), nullptr, false) : rank;
  if (!number.is_number_integer()) return std::nullopt;
  return number.get<std::int64_t>();
}

std::string host_of(const Trace& trace) {
  const auto provenance = nlohmann::json::parse(trace.provenance_json(), nullptr, false);
  if (!provenance.is_object() || !provenance.contains("host") || !provenance["host"].is_string()) return {};
  return provenance["host"].get<std::string>();
}

}  // namespace takt
