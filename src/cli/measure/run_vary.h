// `takt run` with --vary, or with several models: every combination of values is a variant.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/measure/run_options.h"
#include "measure/run/vary.h"

namespace takt {

/// "threads=1,2" → {"threads", {"1", "2"}}. Commas inside (), [], {} and "" do not separate values. Throws UsageError.
struct VariedOption {
  std::string name;  ///< without dashes
  std::vector<std::string> values;
};
VariedOption parse_vary(std::string_view text);

/// Returns every combination of the models and the values of --vary, the last one changing fastest; each also has the
/// options of `o`. Throws UsageError for an option that cannot vary, an invalid value, and too many variants.
std::vector<Variant> variants_of(const RunOptions& o);

/// Measures the variants and prints the result. Returns the exit code.
int run_variants(RunOptions& o, std::span<const std::string> arguments);

}  // namespace takt
