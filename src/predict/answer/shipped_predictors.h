// Predictors that are part of the program: trained on datasets/*.csv.gz by 'takt fit', packed beside them, compiled in.
// So they are there wherever the program lies, and no folder can put others in their place.
#pragma once

#include <optional>
#include <string_view>

#include "predict/answer/predictor.h"

namespace takt {

struct ShippedPredictor {
  std::string_view name;    ///< "cpu", "h100"
  std::string_view device;  ///< "CPU", "GPU"
  std::string_view packed;  ///< as predictor_file.h describes it, compressed
};

/// nullptr: none is called so, or predicts this device.
const ShippedPredictor* shipped_predictor_named(std::string_view name);
const ShippedPredictor* shipped_predictor_for(std::string_view device);

Predictor read_predictor(const ShippedPredictor& shipped);

}  // namespace takt
