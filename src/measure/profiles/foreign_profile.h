// Operator times that other programs wrote, as records: ONNX Runtime's profile and the reports of OpenVINO's
// benchmark_app. profile_file.h turns them into what `takt analyze` works on.
//
// The parsers are pure functions of the text and read any bytes: what is malformed ends in one sentence, what is cut
// off is read as far as it goes and said in `notes`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "base/files/padded_text.h"
#include "model/graph/graph.h"

namespace takt {

struct ForeignOperator {
  std::string name, type;
  std::string kernel;                  ///< the runtime's implementation; empty if it does not tell
  std::vector<Duration> device, host;  ///< per run (0 where it did not execute); empty: no such times
  std::vector<Duration> waits;         ///< per run, before the kernel; empty: not recorded
  std::optional<double> flops;         ///< of one execution, where the shapes alone tell
  std::optional<std::int64_t> bytes;   ///< of one execution
  std::optional<std::vector<Shape>> input_shapes, output_shapes;
  std::vector<std::string> input_types;  ///< "Float32"
};

struct ForeignProfile {
  std::string kind;       ///< "ONNX Runtime profile"
  std::string run_word;   ///< what a sample is: "run", "infer request"
  std::size_t runs = 0;   ///< samples per operator
  bool averaged = false;  ///< the only sample is a mean that the other program took
  std::vector<ForeignOperator> operators;
  std::vector<Duration> run_times;  ///< of each run, whole; empty: the program does not tell
  std::vector<std::string> notes;   ///< one sentence each
};

/// ONNX Runtime's profile: a Chrome trace array, cut into runs at its "model_run" events. A file without its end is
/// read up to the last whole event; nodes of a run that is not complete are left out. Operators on an accelerator have
/// host times only: their events are launches. `origin` begins every message. Throws Error(bad_input).
ForeignProfile parse_ort_profile(const PaddedText& text, const std::string& origin);

/// benchmark_*_report.csv with counters: detailed (a sample per infer request), average, or sorted; separators ';' and
/// ','. Throws Error(bad_input).
ForeignProfile parse_benchmark_app_csv(std::string_view text, const std::string& origin);

/// The same reports as JSON. Throws Error(bad_input).
ForeignProfile parse_benchmark_app_json(const PaddedText& text, const std::string& origin);

/// What wrote a file, by its first characters.
enum class ProfileKind { peer, ort, benchmark_app_csv, benchmark_app_json };
ProfileKind detect_profile_kind(std::string_view text);

/// Floating-point operations of one operator by takt's rules (model/cost/cost.h), where its shapes alone settle them:
/// an attribute that the profile does not hold makes it nullopt, except that a fused activation is not counted.
std::optional<double> flops_from_shapes(std::string_view type, const std::vector<Shape>& inputs,
                                        const std::vector<Shape>& outputs);

}  // namespace takt
