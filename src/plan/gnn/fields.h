// Ranges of stages and sizes of graphs as fields of tasks (base/files/field_list.h).
#pragma once

#include <fmt/format.h>

#include "base/basics/text.h"
#include "base/files/field_list.h"
#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

inline constexpr auto stage_range_fields = [](auto& range, const auto& field) {
  const auto named = [](const std::string& name) {
    if (const auto network = network_named(name)) return *network;
    refuse_input(fmt::format("'{}' is not a network", printable(name)));
  };
  field.named("network", range.network, network_name, named);
  field("first", range.first);
  field("last", range.last);
};

inline constexpr auto graph_size_fields = [](auto& size, const auto& field) {
  field("nodes", size.nodes);
  field("edges", size.edges);
};

}  // namespace takt
