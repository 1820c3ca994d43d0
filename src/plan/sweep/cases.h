// The sizes of graphs that a sweep covers: sets that are known by their number of cases, or a file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plan/gnn/edge_list.h"

namespace takt {

struct SweepCases {
  std::vector<GraphSize> sizes;
  std::int64_t features = 500;                ///< of a node, before and after the layer
  std::int64_t warmup = 10, iterations = 50;  ///< runs of each, the second measured
};

/// "15", "18", "35", "42", "55": the first is the default.
const std::vector<std::string>& case_sets();

/// What `word` stands for: one of case_sets(), else the path of a JSON file
///
///   {"config": {"feature_dim": 500, "num_warmup": 10, "num_iterations": 50},
///    "test_cases": [{"nodes": 1000, "edges": 2000}]}
///
/// Other keys are not looked at. Throws Error(io) for a file that cannot be read and Error(bad_input), naming file and
/// case, for other JSON, no case, one that is there twice, fewer nodes than 1, edges than 0 or features than 1, and
/// numbers beyond 2^31 − 2.
SweepCases sweep_cases(const std::string& word);

/// The same of the file's text; `where` begins messages.
SweepCases parse_cases(std::string_view json, std::string_view where);

}  // namespace takt
