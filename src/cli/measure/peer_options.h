// The command line of `takt analyze`: the peer analyser's options, parsed as Python's argparse parses them, and takt's.
#pragma once

#include <span>
#include <string>

#include "measure/profiles/analyze_options.h"

namespace takt {

/// Parses the words after `analyze`. Long options of the peer may be shortened to a prefix that only one of them has;
/// takt's own need their full spelling. Throws UsageError with the nearest right spelling.
AnalyzeOptions parse_analyze_options(std::span<const std::string> words);

std::string analyze_summary();

/// The text of `takt analyze --help`; 80 columns, ends with a newline.
std::string analyze_help();

}  // namespace takt
