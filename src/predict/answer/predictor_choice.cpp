#include "predict/answer/predictor_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <system_error>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/machine/peaks_file.h"
#include "predict/answer/predictor_file.h"
#include "predict/answer/shipped_predictors.h"
#include "predict/collect/measured_machine.h"

namespace takt {
namespace {

/// Takes the calibrated predictor if there is one for this machine. One that cannot be read is a note: the shipped one
/// still gives an answer.
bool take_calibrated(const std::string& device, const std::string& here, ChosenPredictor& chosen) {
  const std::filesystem::path path = calibrated_path(device);
  std::error_code error;
  if (path.empty() || !std::filesystem::exists(path, error)) return false;
  try {
    Predictor predictor = read_predictor(path);
    if (predictor.machine != here || predictor.device != device) return false;
    chosen.predictor = std::move(predictor), chosen.name = "calibrated";
    return true;
  } catch (const Error& problem) {
    chosen.note = fmt::format("{}; the built-in predictor is used", problem.what());
    return false;
  }
}

/// Of models whose family was not in the training; nullopt: nobody knows.
std::optional<double> family_width(const Predictor& predictor) {
  for (const ErrorRow& row : predictor.errors)
    if (row.split == "family" && row.level == "model" && row.method == "takt") return row.figures.width;
  return std::nullopt;
}

}  // namespace

std::filesystem::path calibrated_path(const std::string& device) {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? folder : folder / fmt::format("calibrated-{}.predictor.gz", device);
}

ChosenPredictor choose_predictor(const std::string& device) {
  const ShippedPredictor* shipped = shipped_predictor_for(device);
  if (!shipped)
    throw Error(ErrorKind::unsupported, fmt::format("no predictor is built in for device '{}'; use CPU or GPU, or name "
                                                    "one of 'takt fit' with --predictor",
                                                    printable(device)));
  const std::string here = measured_machine(device);
  ChosenPredictor chosen;
  if (take_calibrated(device, here, chosen)) return chosen;
  chosen.predictor = read_predictor(*shipped), chosen.name = shipped->name;
  Predictor& predictor = chosen.predictor;
  predictor.model_width = std::max(predictor.model_width, std::asinh(family_width(predictor).value_or(0)));
  chosen.is_of_this_class = predictor.machine == here;
  const double other = device == "CPU" ? other_cpu_factor : other_gpu_factor;
  chosen.machine_factor = chosen.is_of_this_class ? same_class_factor : other;
  predictor.machine_width = std::log(*chosen.machine_factor);
  return chosen;
}

ChosenPredictor named_predictor(const std::filesystem::path& named) {
  const ShippedPredictor* shipped = shipped_predictor_named(named.string());
  std::error_code ignored;
  if (!shipped && !is_predictor_file(named) && !std::filesystem::exists(named / predictor_file, ignored))
    throw Error(ErrorKind::io, fmt::format("cannot read '{}': no such predictor; name a folder or file that 'takt fit' "
                                           "wrote, or a built-in one: cpu or h100",
                                           printable(named.string())));
  ChosenPredictor chosen;
  chosen.predictor = shipped ? read_predictor(*shipped) : read_predictor(named), chosen.name = named.string();
  chosen.is_of_this_class = chosen.predictor.machine == measured_machine(chosen.predictor.device);
  return chosen;
}

}  // namespace takt
