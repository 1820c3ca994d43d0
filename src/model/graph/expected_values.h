// What operators need the integers that they read to be: lengths within what is there, rows that a table has, divisors
// that are not 0. Zeros and ones at random, which suit most inputs, make such an operator fail, or do half of its work.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/graph/graph.h"

namespace takt {

struct ExpectedValues {
  TensorId input = no_tensor;  ///< one of graph.inputs
  std::int64_t first = 0;      ///< value of its first element
  std::int64_t step = 0;       ///< from one element to the next
  bool is_length = false;      ///< it decides how much is computed
  std::string op, type;        ///< the operator that reads it
  std::string text = {};       ///< instead of numbers, of an input of texts
};

/// Of every input whose integers (or truths, or texts) reach such an operand unchanged, or, as a mask does a length, by
/// sums, in the order of graph.inputs; the first operator that reads one decides. A length is all that there is, where
/// the shapes of the graph tell, else 1.
std::vector<ExpectedValues> find_expected_values(const Graph& graph);

}  // namespace takt
