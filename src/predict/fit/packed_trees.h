// Trees in few bytes that are read at once: XGBoost's JSON takes tens of megabytes, and a second to parse.
//
//   "takt trees 1\n", trees and nodes (32 bits each), the base score (64), a place for every node (16), a number for
//   every node (32), all little-endian
//
// Nodes come tree by tree, each before its left and its right children. The place of an inner node is its feature,
// plus the number of features where missing values go left, and its number the threshold; a leaf has twice the number
// of features as its place and its score as its number.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "predict/fit/tree_ensemble.h"

namespace takt {

std::string packed_trees(const TreeEnsemble& trees);

/// Whether the text begins as packed_trees() begins.
bool are_packed_trees(std::string_view text);

/// Throws Error(bad_input) that begins with `where`: other lengths, features beyond `features`, nodes that make no tree.
TreeEnsemble unpacked_trees(std::string_view packed, std::string_view where, std::size_t features);

/// The same trees for parse_trees(): the keys of XGBoost's JSON form that it reads.
std::string trees_json(const TreeEnsemble& trees);

}  // namespace takt
