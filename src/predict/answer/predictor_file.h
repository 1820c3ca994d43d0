// A predictor on disk: a folder with predictor.json (what it was trained on, features with units and ranges, errors,
// the machine's constants) and two files of trees per group of kernels, in the JSON form of XGBoost.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/system/provenance.h"
#include "predict/answer/predictor.h"

namespace takt {

inline constexpr const char* predictor_file = "predictor.json";

/// The text of predictor.json. It has a fingerprint of each file of trees, so that files of two predictors in one
/// folder are noticed.
std::string predictor_json(const Predictor& predictor, const Provenance& provenance);

/// The files of trees that belong to it: name and text.
std::vector<std::pair<std::string, std::string>> tree_files(const Predictor& predictor);

/// Each file whole or not at all, predictor.json last. Throws Error(io).
void write_predictor(const Predictor& predictor, const std::filesystem::path& folder, const Provenance& provenance);

/// The texts of predictor.json and of the tree files it names, from whatever `trees` reads a name. Throws
/// Error(bad_input) that begins with `where`: no predictor, one of a newer takt, features that this version does not
/// make, trees that do not fit.
Predictor parse_predictor(std::string_view json, std::string_view where,
                          const std::function<std::string(const std::string& name)>& trees);

/// Throws also Error(io).
Predictor read_predictor(const std::filesystem::path& folder);

}  // namespace takt
