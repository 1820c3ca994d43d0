#include "predict/answer/shipped_predictors.h"

#include <algorithm>
#include <array>

#include "predict/answer/predictor_file.h"

// The files' bytes as constants: a compiler takes minutes and gigabytes for the same as a list of numbers. TAKT_DATASETS
// is the folder, by the build.
#define TAKT_FILE_AS(symbol, name)                                                      \
  asm(".section .rodata\n" #symbol ": .incbin \"" TAKT_DATASETS "/" name "\"\n" #symbol \
      "_end: .byte 0\n"                                                                 \
      ".previous\n");                                                                   \
  extern "C" __attribute__((visibility("hidden"))) const char symbol[], symbol##_end[]

TAKT_FILE_AS(takt_cpu_predictor, "cpu.predictor.gz");
TAKT_FILE_AS(takt_h100_predictor, "h100.predictor.gz");

namespace takt {
namespace {

const std::array<ShippedPredictor, 2>& all_shipped() {
  const auto text = [](const char* begin, const char* end) {
    return std::string_view(begin, static_cast<std::size_t>(end - begin));
  };
  static const std::array<ShippedPredictor, 2> all{{
      {"cpu", "CPU", text(takt_cpu_predictor, takt_cpu_predictor_end)},
      {"h100", "GPU", text(takt_h100_predictor, takt_h100_predictor_end)},
  }};
  return all;
}

template <typename Test>
const ShippedPredictor* first_shipped(const Test& test) {
  const auto& all = all_shipped();
  const auto found = std::find_if(all.begin(), all.end(), test);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

const ShippedPredictor* shipped_predictor_named(std::string_view name) {
  return first_shipped([&](const ShippedPredictor& one) { return one.name == name; });
}

const ShippedPredictor* shipped_predictor_for(std::string_view device) {
  return first_shipped([&](const ShippedPredictor& one) { return one.device == device; });
}

Predictor read_predictor(const ShippedPredictor& shipped) {
  return unpacked_predictor(shipped.packed, "predictor '" + std::string(shipped.name) + "' of this takt");
}

}  // namespace takt
