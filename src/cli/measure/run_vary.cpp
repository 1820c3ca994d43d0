#include "cli/measure/run_vary.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/system/busy.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/progress.h"
#include "model/sim/simulated.h"

namespace takt {
namespace {

constexpr std::size_t most_variants = 64;  // all are open at once

/// Options that say how a model is run; the others say how long to measure and what to print of one run.
bool can_vary(const Option& option) {
  static const std::set<std::string> fixed{"--seed",          "--iter",   "--time",    "--warmup-iter",
                                           "--warmup-time",   "--no-ops", "--fitting", "--optimised-model-out",
                                           "--executed-graph"};
  const bool about_runs =
      option.group == "Model and inputs" || option.group == "Measuring" || option.group == "Runtime";
  return about_runs && !option.positional() && !fixed.contains(option.name());
}

std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && std::string_view("([{").find(c) != std::string_view::npos) ++depth;
    if (!quoted && std::string_view(")]}").find(c) != std::string_view::npos) --depth;
    if (c == ',' && depth == 0 && !quoted)
      values.emplace_back();
    else
      values.back() += c;
  }
  for (auto& value : values) value = std::string(trim(value));
  return values;
}

const Option& option_of(const CommandDescription& command, const VariedOption& varied) {
  std::vector<std::string> known;
  for (const auto& option : command.options) {
    if (!can_vary(option)) continue;
    known.push_back(option.name().substr(2));
    const auto spellings = option.all_spellings();
    if (std::find(spellings.begin(), spellings.end(), "--" + varied.name) != spellings.end()) return option;
  }
  throw UsageError(fmt::format("--vary '{}': this option cannot vary; {}", printable(varied.name),
                               suggestion(varied.name, known, fmt::format("one of {}", fmt::join(known, ", ")))));
}

/// One value of one varied option, as words of a command line.
std::vector<std::string> words_of(const Option& option, const std::string& value) {
  if (option.takes != Takes::nothing) return {option.name() + "=" + value};
  if (value == "yes") return {option.name()};
  if (value == "no") return {};
  throw UsageError(fmt::format("--vary {}={}: write yes or no", option.name().substr(2), printable(value)));
}

struct OptionValues {
  Variation differs;
  std::filesystem::path model;
  std::vector<std::string> words;
};

/// The last `parts` parts of a path: "new/model.onnx" of two.
std::string end_of(const std::filesystem::path& path, std::size_t parts) {
  std::vector<std::filesystem::path> all(path.begin(), path.end());
  std::filesystem::path end;
  for (std::size_t i = all.size() > parts ? all.size() - parts : 0; i < all.size(); ++i) end /= all[i];
  return end.string();
}

/// What tells each model from the others: its file's name, and as many folders as it takes where names are alike.
std::vector<std::string> names_of(const std::vector<std::filesystem::path>& models) {
  std::size_t most = 1;
  for (const auto& model : models)
    most = std::max(most, static_cast<std::size_t>(std::distance(model.begin(), model.end())));
  std::vector<std::string> names;
  for (const auto& model : models) {
    std::size_t parts = 1;
    const auto same = [&](const auto& other) { return end_of(other, parts) == end_of(model, parts); };
    while (parts < most && std::count_if(models.begin(), models.end(), same) > 1) ++parts;
    names.push_back(end_of(model, parts));
  }
  return names;
}

std::vector<OptionValues> combinations_of(const RunOptions& o) {
  std::vector<OptionValues> all;
  const auto names = names_of(o.models);
  for (std::size_t i = 0; i < o.models.size(); ++i) {
    all.push_back({{}, o.models[i], {}});
    if (o.models.size() > 1) all.back().differs.emplace_back("model", names[i]);
  }
  RunOptions unused;
  const auto command = declare_run(unused).description();
  std::set<std::string> seen;
  for (const auto& text : o.vary) {
    const auto varied = parse_vary(text);
    const auto& option = option_of(command, varied);
    const std::string name = option.name().substr(2);
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("--vary {}: given twice; list all values in one", name));
    std::vector<OptionValues> more;
    for (const auto& one : all)
      for (const auto& value : varied.values) {
        more.push_back(one);
        for (auto& word : words_of(option, value)) more.back().words.push_back(std::move(word));
        more.back().differs.emplace_back(name, value);
      }
    all = std::move(more);
    if (all.size() > most_variants)
      throw UsageError(fmt::format(
          "--vary: more than {} variants, and all are open at the same time; list fewer values", most_variants));
  }
  return all;
}

/// Values that may be given several times are added to those of all variants.
void add_shared(std::vector<std::string>& own, const std::vector<std::string>& shared) {
  if (own != shared) own.insert(own.begin(), shared.begin(), shared.end());
}

/// What describes one run says nothing of several.
void refuse_files(const RunOptions& o) {
  const std::vector<std::pair<const char*, bool>> given{{"--profile", !o.profile.empty()},
                                                        {"--profile-host", !o.profile_host.empty()},
                                                        {"--trace", !o.trace.empty()},
                                                        {"--columns", !o.column_text.empty()},
                                                        {"--io-dump", !o.io_dump.empty()},
                                                        {"--bin-io-dump", !o.bin_io_dump.empty()},
                                                        {"--bin-out-dump", !o.bin_out_dump.empty()},
                                                        {"--optimised-model-out", !o.run.optimised_model.empty()},
                                                        {"--executed-graph", !o.run.executed_graph.empty()},
                                                        {"--percentiles", !o.percentile_text.empty()},
                                                        {"--fitting", o.run.fit}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      throw UsageError(fmt::format("{} describes one run; leave it out with {}", name,
                                   o.vary.empty() ? "several models" : "--vary"));
}

}  // namespace

VariedOption parse_vary(std::string_view text) {
  const auto equals = text.find('=');
  VariedOption varied{std::string(trim(text.substr(0, equals))), {}};
  std::replace(varied.name.begin(), varied.name.end(), '_', '-');
  if (varied.name.starts_with("--")) varied.name.erase(0, 2);
  if (equals == std::string_view::npos || varied.name.empty())
    throw UsageError(fmt::format("--vary '{}': write OPTION=A,B, e.g. threads=1,2,4", printable(text)));
  varied.values = split_values(text.substr(equals + 1));
  if (std::any_of(varied.values.begin(), varied.values.end(), [](auto& value) { return value.empty(); }))
    throw UsageError(fmt::format("--vary '{}': a value is empty; write OPTION=A,B", printable(text)));
  return varied;
}

std::vector<Variant> variants_of(const RunOptions& o) {
  refuse_files(o);
  std::vector<Variant> variants;
  for (auto& combination : combinations_of(o)) {
    RunOptions own = o;
    combination.words.insert(combination.words.begin(), combination.model.string());
    declare_run(own).parse(combination.words);
    add_shared(own.inputs, o.inputs);
    add_shared(own.properties, o.properties);
    validate(own);
    variants.push_back({combination.differs, combination.model, own.run});
  }
  return variants;
}

int run_variants(RunOptions& o, std::span<const std::string> arguments) {
  const Interrupt interrupt;
  o.run.stop = &interrupt.requested();
  const auto variants = variants_of(o);
  if (o.verbose) o.log.level = "debug";
  apply(o.log);
  if (auto warning = build_warning(); !warning.empty()) log_warning(warning);
  BusyWatch watch;
  Progress bar("measuring variants");
  const auto result =
      measure_variants(variants, [&](std::uint64_t done, std::uint64_t total) { bar.update(done, total); });
  interrupt.work_is_over();
  const auto is_real = [](const VariantRow& row) { return row.runs > 0 && row.runtime != simulated_runtime; };
  if (std::any_of(result.rows.begin(), result.rows.end(), is_real)) watch.tell();
  Provenance provenance = provenance_of("run", arguments);
  if (o.output.table.empty()) o.output.table = "variants";
  const std::vector<Table> tables{variants_table(result)};
  print(o.output, tables, provenance, to_text(result));
  if (!result.fastest)
    throw Error(ErrorKind::runtime,
                fmt::format("no variant was measured; the first one: {}",
                            result.rows.front().failure.value_or("stopped before its first block")));
  return 0;
}

}  // namespace takt
