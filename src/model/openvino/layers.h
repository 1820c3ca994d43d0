// The layers that OpenVINO's importer makes of a model, and for which operator of the model each was made.
#pragma once

#include <map>
#include <openvino/core/model.hpp>
#include <string>
#include <string_view>

#include "model/graph/graph.h"

namespace takt::openvino {

/// Finds the model's operator from a layer's name: the operator's name, the name of an output where it has none, or
/// either followed by "/…", "_OUTPUT" or ".NUMBER" when several layers are made of it. `graph` may be null and must
/// outlive the index.
class OpIndex {
 public:
  explicit OpIndex(const Graph* graph);

  /// nullptr: no operator of the model.
  const Op* find(std::string_view layer) const;
  /// The name is an operator's own, not that of a part.
  bool is_name(std::string_view layer) const { return by_name_.contains(layer); }

 private:
  std::map<std::string, const Op*, std::less<>> by_name_;
};

/// Names the layers that the importer gave numbers only, "GRUSequence_5828", after the operator that they are part of:
/// "/encoder/GRU/GRUSequence_0". Otherwise only the last of an operator's layers has its name, which for a GRU is a
/// transpose. The names are the same in every process, as the runtime's cache of compiled models needs them, and stay
/// when the runtime copies the model.
void name_layers(const ov::Model& model, const Graph& graph);

}  // namespace takt::openvino
