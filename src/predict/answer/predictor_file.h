// A predictor on disk: a folder with predictor.json (what it was trained on, features with units and ranges, errors,
// the machine's constants) and a file of trees per group of kernels, in the JSON form of XGBoost. Or one file,
// NAME.predictor or NAME.predictor.gz, a tenth as large and read in a tenth of the time: the same with packed trees
// (packed_trees.h), each part after a line with its name and size.
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

/// Whether a predictor of this name is one file.
bool is_predictor_file(const std::filesystem::path& path);

/// The contents of NAME.predictor, not compressed.
std::string packed_predictor(const Predictor& predictor, const Provenance& provenance);

/// Of packed_predictor(), compressed or not. Throws as parse_predictor().
Predictor unpacked_predictor(std::string_view bytes, std::string_view where);

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
