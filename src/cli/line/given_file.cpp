#include "cli/line/given_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "base/basics/text.h"
#include "measure/open/misplaced_file.h"

namespace takt {
namespace {

/// A kind of file, the command that reads it, and what begins the names of all that do.
struct FileUse {
  std::string_view is, command, rest, purpose;
  std::array<std::string_view, 8> readers;
};

namespace uses {
constexpr FileUse pipeline_trace{"a trace of a pipeline",
                                 "pipeline analyze",
                                 "",
                                 "shows where its time went",
                                 {"pipeline analyze", "pipeline whatif", "trace", "report"}};
constexpr FileUse training_trace{
    "a trace of PyTorch's profiler", "diagnose", "", "explains it", {"diagnose", "trace", "report"}};
constexpr FileUse other_trace{
    "a trace", "trace info", "", "shows what is in it", {"trace", "diagnose", "pipeline", "report"}};
constexpr FileUse profile{"a profile of operators", "analyze", "", "prints it", {"analyze", "compare", "report"}};
constexpr FileUse ort_profile{
    "an ONNX Runtime profile", "analyze", "", "prints it", {"analyze", "compare", "report", "trace"}};
constexpr FileUse benchmark_app_report{"a benchmark_app report", "analyze", "", "prints it", {"analyze", "compare"}};
constexpr FileUse result{"a result of takt",
                         "report",
                         " -o page.html",
                         "makes a page of it",
                         {"report", "compare", "evaluate merge", "sweep", "plan"}};
constexpr FileUse pipeline{"the description of a pipeline",
                           "pipeline run",
                           "",
                           "runs it",
                           {"pipeline run", "pipeline interference", "sweep", "load"}};
constexpr FileUse dataset{"a dataset of kernels", "fit", "", "trains a predictor on it", {"fit", "collect"}};
constexpr FileUse model{
    "a model", "run", "", "measures it", {"run", "predict", "evaluate", "plan", "collect", "kernels", "vary", "sweep"}};
}  // namespace uses

const FileUse* use_of_json(std::string_view start) {
  const auto has = [&](std::string_view word) { return start.find(word) != start.npos; };
  const bool of_takt = has("\"takt\":") && has("\"schema_version\"");
  if (of_takt && has("\"pipeline\":{")) return &uses::pipeline_trace;
  if (has("\"graph_exec\"") || has("\"opr_footprint\"") || has("\"provenance\"")) return &uses::profile;
  for (const std::string_view key : {"\"detailed_performance\"", "\"report_type\"", "\"cmd_options\""})
    if (has(key)) return &uses::benchmark_app_report;
  const bool is_trace = has("\"traceEvents\"") || has("\"ph\"");
  if (is_trace && (has("model_loading") || has("session_initialization"))) return &uses::ort_profile;
  if (is_trace && (has("\"deviceProperties\"") || has("\"cpu_op\""))) return &uses::training_trace;
  if (is_trace) return &uses::other_trace;
  return of_takt ? &uses::result : nullptr;
}

const FileUse* use_of(const std::filesystem::path& path, std::string_view start) {
  const std::string ending = lower_case(path.extension().string());
  const std::string_view text = trim(start);
  if (text.starts_with('{') || text.starts_with('[')) return use_of_json(text);
  if (ending == ".onnx" || text.starts_with("<?xml")) return &uses::model;
  if ((ending == ".yaml" || ending == ".yml") && text.find("stages:") != text.npos) return &uses::pipeline;
  if (ending == ".csv" && text.find("layerName") != text.npos) return &uses::benchmark_app_report;
  return text.starts_with("Kernel_ID,") ? &uses::dataset : nullptr;
}

bool reads(const FileUse& use, std::span<const std::string> arguments) {
  const std::string words =
      fmt::format("{} ", fmt::join(arguments.first(std::min<std::size_t>(2, arguments.size())), " "));
  return std::any_of(use.readers.begin(), use.readers.end(), [&](std::string_view command) {
    return !command.empty() && words.starts_with(fmt::format("{} ", command));
  });
}

}  // namespace

std::string other_use(std::string_view message, std::span<const std::string> arguments) {
  for (const std::string& word : arguments) {
    const std::string name = printable(word);
    if (word.empty() || !message.starts_with(name + ":")) continue;
    const FileUse* use = use_of(word, beginning_of(word).value_or(""));
    if (use == nullptr || reads(*use, arguments)) return "";
    if (message.find(fmt::format("'takt {}", use->command)) != message.npos) return "";
    return fmt::format("; it is {}: 'takt {} {}{}' {}", use->is, use->command, name, use->rest, use->purpose);
  }
  return "";
}

}  // namespace takt
