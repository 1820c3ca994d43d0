#include "predict/fit/tree_training.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "base/basics/check.h"
#include "base/basics/error.h"
#include "base/basics/text.h"

#ifdef TAKT_WITH_XGBOOST
#include <xgboost/c_api.h>

#include "base/system/shared_library.h"
#endif

namespace takt {

#ifdef TAKT_WITH_XGBOOST
namespace {

/// The library's functions, found when somebody trains: every other command starts without its tens of megabytes, and
/// on machines that lack it.
struct XgboostLibrary {
  decltype(&XGBGetLastError) last_error = nullptr;
  decltype(&XGDMatrixCreateFromMat) create_matrix = nullptr;
  decltype(&XGDMatrixSetFloatInfo) set_floats = nullptr;
  decltype(&XGDMatrixFree) free_matrix = nullptr;
  decltype(&XGBoosterCreate) create_booster = nullptr;
  decltype(&XGBoosterSetParam) set_parameter = nullptr;
  decltype(&XGBoosterUpdateOneIter) update = nullptr;
  decltype(&XGBoosterSaveModelToBuffer) save = nullptr;
  decltype(&XGBoosterFree) free_booster = nullptr;

  XgboostLibrary() : library_({"libxgboost.so.0", "libxgboost.so"}) {
    library_.get(last_error, {"XGBGetLastError"});
    library_.get(create_matrix, {"XGDMatrixCreateFromMat"});
    library_.get(set_floats, {"XGDMatrixSetFloatInfo"});
    library_.get(free_matrix, {"XGDMatrixFree"});
    library_.get(create_booster, {"XGBoosterCreate"});
    library_.get(set_parameter, {"XGBoosterSetParam"});
    library_.get(update, {"XGBoosterUpdateOneIter"});
    library_.get(save, {"XGBoosterSaveModelToBuffer"});
    library_.get(free_booster, {"XGBoosterFree"});
  }

 private:
  SharedLibrary library_;
};

/// Loaded once and never unloaded: its threads and statics would outlive it otherwise.
const XgboostLibrary& xgboost_library() {
  try {
    static const XgboostLibrary library;
    return library;
  } catch (const Error&) {
    throw Error(ErrorKind::unsupported,
                "predictors cannot be trained: libxgboost.so.0 (1.7 or later) is not installed; install "
                "libxgboost-dev, as tools/bootstrap does");
  }
}

void succeed(int code) {
  if (code != 0) throw Error(ErrorKind::runtime, fmt::format("XGBoost: {}", printable(xgboost_library().last_error())));
}

struct FreeMatrix {
  void operator()(void* handle) const { xgboost_library().free_matrix(handle); }
};
struct FreeBooster {
  void operator()(void* handle) const { xgboost_library().free_booster(handle); }
};

double weighted_mean(std::span<const float> targets, std::span<const float> weights) {
  double sum = 0, all = 0;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weights.empty() ? 1 : static_cast<double>(weights[i]);
    sum += weight * static_cast<double>(targets[i]), all += weight;
  }
  return sum / all;
}

using Parameters = std::vector<std::pair<std::string, std::string>>;

Parameters parameters_of(const TreeSettings& settings, double base) {
  Parameters list{{"objective", "reg:squarederror"},
                  {"tree_method", "hist"},
                  {"nthread", "1"},
                  {"verbosity", "0"},
                  {"lambda", "1"},
                  {"base_score", fmt::format("{:.9g}", base)},
                  {"seed", std::to_string(settings.seed)}};
  const auto add = [&](const char* key, const std::string& value) { list.emplace_back(key, value); };
  if (settings.kind == TreeKind::boosting) {
    add("max_depth", std::to_string(settings.depth)), add("eta", fmt::format("{}", settings.learning));
    add("subsample", "0.8"), add("colsample_bytree", "0.7"), add("min_child_weight", "2");
  } else {
    // Breiman's forests draw with replacement, which sees 63 % of the rows; without it the same share is as good.
    add("max_depth", "14"), add("eta", "1"), add("num_parallel_tree", std::to_string(settings.trees));
    add("subsample", "0.63"), add("colsample_bynode", "0.5"), add("min_child_weight", "1");
  }
  return list;
}

}  // namespace

bool can_train_trees() {
  try {
    xgboost_library();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::string train_trees(const FeatureMatrix& rows, std::span<const float> targets, std::span<const float> weights,
                        const TreeSettings& settings) {
  TAKT_CHECK(!targets.empty() && rows.rows() == targets.size());
  const XgboostLibrary& xgboost = xgboost_library();
  DMatrixHandle matrix_handle = nullptr;
  succeed(xgboost.create_matrix(rows.values.data(), rows.rows(), rows.columns, std::numeric_limits<float>::quiet_NaN(),
                                &matrix_handle));
  const std::unique_ptr<void, FreeMatrix> matrix(matrix_handle);
  succeed(xgboost.set_floats(matrix.get(), "label", targets.data(), targets.size()));
  if (!weights.empty()) succeed(xgboost.set_floats(matrix.get(), "weight", weights.data(), weights.size()));
  BoosterHandle booster_handle = nullptr;
  succeed(xgboost.create_booster(&matrix_handle, 1, &booster_handle));
  const std::unique_ptr<void, FreeBooster> booster(booster_handle);
  for (const auto& [name, value] : parameters_of(settings, weighted_mean(targets, weights)))
    succeed(xgboost.set_parameter(booster.get(), name.c_str(), value.c_str()));
  const int rounds = settings.kind == TreeKind::boosting ? settings.trees : 1;
  for (int round = 0; round < rounds; ++round) succeed(xgboost.update(booster.get(), round, matrix.get()));
  bst_ulong length = 0;
  const char* text = nullptr;
  succeed(xgboost.save(booster.get(), R"({"format": "json"})", &length, &text));
  return {text, length};
}

#else

bool can_train_trees() { return false; }

std::string train_trees(const FeatureMatrix&, std::span<const float>, std::span<const float>, const TreeSettings&) {
  throw Error(
      ErrorKind::unsupported,
      "this binary cannot train predictors: it was built without XGBoost; install libxgboost-dev (tools/bootstrap "
      "does) and configure with -DTAKT_WITH_XGBOOST=ON");
}

#endif

}  // namespace takt
