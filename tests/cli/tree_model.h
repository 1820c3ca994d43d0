// The smallest tree that ONNX's operators for trees take.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/onnx/builder.h"

namespace takt {

inline std::vector<NamedAttribute> tree(std::int64_t feature) {
  return {{"n_targets", std::int64_t{1}},
          {"nodes_falsenodeids", {2, 0, 0}},
          {"nodes_featureids", {feature, 0, 0}},
          {"nodes_hitrates", std::vector<float>{1, 1, 1}},
          {"nodes_missing_value_tracks_true", {0, 0, 0}},
          {"nodes_modes", std::vector<std::string>{"BRANCH_LEQ", "LEAF", "LEAF"}},
          {"nodes_nodeids", {0, 1, 2}},
          {"nodes_treeids", {0, 0, 0}},
          {"nodes_truenodeids", {1, 0, 0}},
          {"nodes_values", std::vector<float>{0.5f, 0, 0}},
          {"target_ids", {0, 0}},
          {"target_nodeids", {1, 2}},
          {"target_treeids", {0, 0}},
          {"target_weights", std::vector<float>{1, 2}}};
}

}  // namespace takt
