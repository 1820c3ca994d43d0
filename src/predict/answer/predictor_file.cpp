#include "predict/answer/predictor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/json_object.h"
#include "base/files/strict_json.h"
#include "predict/fit/packed_trees.h"
#include "trace/events/byte_source.h"
#include "trace/write/trace_output.h"

namespace takt {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

constexpr int predictor_version = 3;  // 1 had forests beside the boosted trees, 2 other terms of loads

std::string tree_file_name(KernelGroup group) { return fmt::format("{}.boosting.json", name_of(group)); }

/// A form of a group's trees.
using TreeText = std::string (*)(const RatioTrees::Group& group);
std::string json_text(const RatioTrees::Group& group) {
  return group.trees_json.empty() ? trees_json(group.trees) : group.trees_json;
}
std::string packed_text(const RatioTrees::Group& group) { return packed_trees(group.trees); }

std::string fingerprint_of(const std::string& text) { return fmt::format("{:016x}", fingerprint(text)); }

OrderedJson known_json(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(); }
OrderedJson known_json(const std::optional<float>& value) { return value ? OrderedJson(*value) : OrderedJson(); }

OrderedJson error_row_json(const ErrorRow& row) {
  const ErrorFigures& f = row.figures;
  return {{"split", row.split},
          {"level", row.level},
          {"method", row.method},
          {"count", f.count},
          {"mape", f.mape},
          {"bias", f.bias},
          {"within_5", f.within_5},
          {"within_10", f.within_10},
          {"within_15", f.within_15},
          {"coverage", known_json(f.coverage)},
          {"width", known_json(f.width)},
          {"noise", known_json(row.noise)}};
}

OrderedJson group_json(KernelGroup kind, const RatioTrees::Group& group, const Predictor& predictor, TreeText text) {
  OrderedJson features = OrderedJson::array();
  for (const TrainedFeature& feature : group.features)
    features.push_back({{"name", feature.name},
                        {"unit", feature.unit},
                        {"type", feature.type},
                        {"low", known_json(feature.low)},
                        {"high", known_json(feature.high)}});
  const auto width = predictor.kernel_width.find(kind);
  const auto correction = predictor.trees.corrections().find(kind);
  OrderedJson json{{"group", name_of(kind)},
                   {"rows", group.rows},
                   {"width", width == predictor.kernel_width.end() ? OrderedJson() : OrderedJson(width->second)},
                   {"words", group.words},
                   {"bases", group.bases},
                   {"boosting", fingerprint_of(text(group))},
                   {"features", features}};
  if (correction != predictor.trees.corrections().end())
    json["correction"] = {correction->second.constant, correction->second.by_compute, correction->second.by_size};
  return json;
}

constexpr double most_log = 50;  // of anything whose exponential is taken

RatioCorrection correction_in(const JsonObject& group) {
  const Json& list = group.list("correction");
  const auto fits = [](const Json& one) { return one.is_number() && std::abs(one.get<double>()) <= most_log; };
  if (list.size() != 3 || !std::all_of(list.begin(), list.end(), fits))
    group.refuse("'correction' is not a list of a constant and two slopes");
  return {list[0].get<double>(), list[1].get<double>(), list[2].get<double>()};
}

constexpr double least_float = -3e38;

double positive(const JsonObject& object, const char* key) {
  const double value = object.number(key, 0);
  if (value == 0) object.refuse(fmt::format("'{}' is 0; give a number above it", key));
  return value;
}

std::vector<std::string> sorted_texts(const JsonObject& object, const char* key) {
  std::vector<std::string> texts = object.texts(key);
  if (std::adjacent_find(texts.begin(), texts.end(), std::greater_equal<>()) != texts.end())
    object.refuse(fmt::format("'{}' is not sorted, or has a duplicate", key));
  return texts;
}

ErrorRow error_row_in(const Json& json, const std::string& where) {
  const JsonObject row(json, where,
                       {"split", "level", "method", "count", "mape", "bias", "within_5", "within_10", "within_15",
                        "coverage", "width", "noise"});
  ErrorRow read{row.text("split"), row.text("level"), row.text("method"), {}, row.number_or_null("noise", 0)};
  read.figures = {row.count("count"),
                  row.number("mape", 0),
                  row.number("bias", -1),
                  row.number("within_5", 0),
                  row.number("within_10", 0),
                  row.number("within_15", 0),
                  row.number_or_null("coverage", 0),
                  row.number_or_null("width", 0)};
  return read;
}

void read_features(const JsonObject& group, KernelGroup kind, RatioTrees::Group& read) {
  read.features = RatioTrees::features_for(kind, read.words);
  const Json& list = group.list("features");
  if (list.size() != read.features.size()) group.refuse("its features differ from those of this version of takt");
  for (std::size_t i = 0; i < list.size(); ++i) {
    const JsonObject feature(list[i], "feature", {"name", "unit", "type", "low", "high"});
    if (feature.text("name") != read.features[i].name)
      group.refuse(fmt::format("feature '{}' is listed where this version of takt has '{}'",
                               printable(feature.text("name")), read.features[i].name));
    const auto low = feature.number_or_null("low", least_float), high = feature.number_or_null("high", least_float);
    if (low) read.features[i].low = static_cast<float>(*low);
    if (high) read.features[i].high = static_cast<float>(*high);
  }
}

void read_group(const Json& json, const std::string& where, Predictor& predictor,
                const std::function<std::string(const std::string& name)>& trees) {
  const JsonObject group(json, where, {"group", "rows", "width", "words", "bases", "boosting", "features"},
                         {"correction"});
  const KernelGroup kind = kernel_group_named(group.text("group"), where);
  if (predictor.trees.groups().contains(kind)) group.refuse("a group is listed twice");
  RatioTrees::Group read;
  read.rows = group.count("rows");
  read.words = sorted_texts(group, "words"), read.bases = sorted_texts(group, "bases");
  read_features(group, kind, read);
  if (const auto width = group.number_or_null("width", 0)) predictor.kernel_width[kind] = *width;
  const std::string name = tree_file_name(kind);
  read.trees_json = trees(name);
  if (fingerprint_of(read.trees_json) != group.text("boosting"))
    refuse_input(fmt::format("{}: {} belongs to another predictor; train it again with 'takt fit'", where, name));
  predictor.trees.add(kind, std::move(read), where);
  if (group.has("correction")) predictor.trees.correct(kind, correction_in(group));
}

void read_known(const JsonObject& file, Predictor& predictor) {
  for (const Json& one : file.list("known")) {
    const bool fits = one.is_array() && one.size() == 4 && one[0].is_string() && one[1].is_number() &&
                      one[2].is_number() && one[3].is_number() && one[1].get<double>() >= 0 &&
                      one[2].get<double>() >= 0 && one[3].get<double>() > 0;
    if (!fits) file.refuse("an entry of 'known' is not [record, bytes of weights, bytes since, microseconds]");
    predictor.known.add(one[0].get<std::string>(), {one[1].get<double>(), one[2].get<double>(), one[3].get<double>()});
  }
}

OrderedJson law_json(const LoadLaw& law) {
  OrderedJson terms = OrderedJson::array(), widths = OrderedJson::array();
  for (const LoadTerm& term : law.terms())
    terms.push_back({{"feature", term.feature},
                     {"quiet", term.quiet},
                     {"weight", term.weight},
                     {"by_memory", term.by_memory},
                     {"low", term.low},
                     {"high", term.high}});
  for (const LoadWidth& width : law.widths()) widths.push_back({width.up_to_factor, width.width});
  return {{"kind", law.kind()}, {"terms", terms}, {"widths", widths}};
}

LoadLaw law_in(const Json& json, const std::string& where) {
  const JsonObject law(json, where, {"kind", "terms", "widths"});
  std::vector<LoadTerm> terms;
  for (const Json& one : law.list("terms")) {
    const JsonObject term(one, where, {"feature", "quiet", "weight", "by_memory", "low", "high"});
    const auto bounded = [&](const char* key) {
      const double value = term.number(key, -most_log);
      if (value > most_log) term.refuse(fmt::format("'{}' is {}, which is out of range for a load model", key, value));
      return value;
    };
    terms.push_back({term.text("feature"), term.number("quiet", -1e300), bounded("weight"), bounded("by_memory"),
                     bounded("low"), bounded("high")});
    const auto known = seen_load_features();
    if (std::find(known.begin(), known.end(), terms.back().feature) == known.end())
      term.refuse(fmt::format("'{}' is not a load metric", printable(terms.back().feature)));
    if (terms.back().low > terms.back().high) term.refuse("'low' is above 'high'");
  }
  std::vector<LoadWidth> widths;
  for (const Json& one : law.list("widths")) {
    const bool fits = one.is_array() && one.size() == 2 && one[0].is_number() && one[1].is_number() &&
                      one[0].get<double>() > 0 && one[1].get<double>() >= 0 && one[1].get<double>() <= most_log;
    if (!fits || (!widths.empty() && one[0].get<double>() < widths.back().up_to_factor))
      law.refuse("an entry of 'widths' is not [factor, width], or the factors do not increase");
    widths.push_back({one[0].get<double>(), one[1].get<double>()});
  }
  if (terms.empty() || widths.empty()) law.refuse("has no terms or no widths");
  return LoadLaw(law.text("kind"), std::move(terms), std::move(widths));
}

OrderedJson launching_json(const std::optional<Launching>& launching) {
  if (!launching) return {};
  OrderedJson by_work = OrderedJson::object();
  for (std::size_t i = 0; i < host_work_count; ++i)
    by_work[std::string(name_of(static_cast<HostWork>(i)))] = launching->launch_us[i];
  return {{"fixed_us", launching->fixed_us},
          {"us_per_byte", launching->us_per_byte},
          {"launch_us", by_work},
          {"share_of_work", launching->share_of_work}};
}

Launching launching_in(const Json& json, const std::string& place) {
  const JsonObject read(json, place, {"fixed_us", "us_per_byte", "launch_us", "share_of_work"});
  Launching launching{read.number("fixed_us", 0), read.number("us_per_byte", 0), {}, read.number("share_of_work", 0)};
  const JsonObject by_work(read.object("launch_us"), place + ": launch_us",
                           {"renaming", "conv", "depthwise", "product", "pool", "other"});
  for (std::size_t i = 0; i < host_work_count; ++i)
    launching.launch_us[i] = by_work.number(std::string(name_of(static_cast<HostWork>(i))).c_str(), 0);
  return launching;
}

std::string json_with(const Predictor& predictor, const Provenance& provenance, TreeText text) {
  OrderedJson groups = OrderedJson::array(), errors = OrderedJson::array(), known = OrderedJson::array();
  OrderedJson laws = OrderedJson::array();
  for (const LoadLaw& law : predictor.load_laws) laws.push_back(law_json(law));
  for (const auto& [kind, group] : predictor.trees.groups()) groups.push_back(group_json(kind, group, predictor, text));
  for (const ErrorRow& row : predictor.errors) errors.push_back(error_row_json(row));
  for (const auto& [id, times] : predictor.known.times())
    for (const KnownTime& time : times) known.push_back({id, time.model_weight_bytes, time.reuse_bytes, time.us});
  const MachineConstants& machine = predictor.trees.machine();
  const OrderedJson file{{"takt", OrderedJson::parse(to_json(provenance))},
                         {"takt_predictor", predictor_version},
                         {"machine", predictor.machine},
                         {"runtime", predictor.runtime},
                         {"runtime_version", predictor.runtime_version},
                         {"device", predictor.device},
                         {"threads", predictor.threads},
                         {"flops_per_s", machine.flops_per_s},
                         {"bytes_per_s", machine.bytes_per_s},
                         {"least_kernel_us", predictor.trees.fixed_us()},
                         {"overhead_us", predictor.overhead.fixed_us},
                         {"overhead_per_kernel_us", predictor.overhead.per_kernel_us},
                         {"launching", launching_json(predictor.overhead.launching)},
                         {"models", predictor.models},
                         {"architectures", predictor.architectures},
                         {"kernels", predictor.kernels},
                         {"measured_width", predictor.measured_width},
                         {"model_width", predictor.model_width},
                         {"is_width_certain", predictor.is_width_certain},
                         {"groups", groups},
                         {"load_laws", laws},
                         {"errors", errors},
                         {"known", known}};
  return file.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

using Files = std::vector<std::pair<std::string, std::string>>;

Files trees_as(const Predictor& predictor, TreeText text) {
  Files files;
  for (const auto& [kind, group] : predictor.trees.groups()) files.emplace_back(tree_file_name(kind), text(group));
  return files;
}

constexpr std::string_view packed_magic = "takt predictor\n";

/// The parts of a packed predictor, by name.
std::map<std::string, std::string_view> parts_in(std::string_view packed, std::string_view where) {
  std::map<std::string, std::string_view> parts;
  for (packed.remove_prefix(packed_magic.size()); !packed.empty();) {
    const std::string_view line = packed.substr(0, packed.find('\n'));
    const auto space = line.find(' ');
    const auto size = number_in<std::size_t>(line.substr(std::min(space, line.size() - 1) + 1));
    if (line.size() == packed.size() || space == line.npos || !size || *size > packed.size() - line.size() - 1)
      refuse_input(fmt::format("{}: is damaged; write it again with 'takt fit'", where));
    parts.emplace(line.substr(0, space), packed.substr(line.size() + 1, *size));
    packed.remove_prefix(line.size() + 1 + *size);
  }
  return parts;
}

}  // namespace

std::string predictor_json(const Predictor& predictor, const Provenance& provenance) {
  return json_with(predictor, provenance, json_text);
}

std::vector<std::pair<std::string, std::string>> tree_files(const Predictor& predictor) {
  return trees_as(predictor, json_text);
}

bool is_predictor_file(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".predictor") || name.ends_with(".predictor.gz");
}

std::string packed_predictor(const Predictor& predictor, const Provenance& provenance) {
  std::string packed(packed_magic);
  const auto add = [&](const std::string& name, const std::string& text) {
    packed += fmt::format("{} {}\n", name, text.size()) + text;
  };
  add(predictor_file, json_with(predictor, provenance, packed_text));
  for (const auto& [name, text] : trees_as(predictor, packed_text)) add(name, text);
  return packed;
}

Predictor unpacked_predictor(std::string_view bytes, std::string_view where) {
  const std::string packed = read_rest(*text_source(bytes));
  if (!packed.starts_with(packed_magic))
    refuse_input(fmt::format("{}: is not a predictor; 'takt fit' writes them", where));
  const auto parts = parts_in(packed, where);
  const auto part = [&](const std::string& name) {
    const auto found = parts.find(name);
    if (found == parts.end()) refuse_input(fmt::format("{}: has no {}; write it again with 'takt fit'", where, name));
    return std::string(found->second);
  };
  return parse_predictor(part(predictor_file), where, part);
}

void write_predictor(const Predictor& predictor, const std::filesystem::path& folder, const Provenance& provenance) {
  if (is_predictor_file(folder)) {
    if (!folder.parent_path().empty()) make_folders(folder.parent_path());
    TraceOutput file(folder);
    file.append(packed_predictor(predictor, provenance));
    return file.commit();
  }
  make_folders(folder);
  for (const auto& [name, text] : tree_files(predictor)) write_file_atomically(folder / name, text);
  write_file_atomically(folder / predictor_file, predictor_json(predictor, provenance));
}

Predictor parse_predictor(std::string_view json, std::string_view where,
                          const std::function<std::string(const std::string& name)>& trees) {
  const Json parsed = parse_strictly(json, where);
  const std::string place(where);
  if (!parsed.is_object() || !parsed.contains("takt_predictor"))
    refuse_input(fmt::format("{}: is not a predictor; 'takt fit' writes them", where));
  if (parsed["takt_predictor"] != predictor_version)
    refuse_input(fmt::format("{}: was written by another version of takt; train it again with 'takt fit'", where));
  const JsonObject file(parsed, place,
                        {"takt",
                         "takt_predictor",
                         "machine",
                         "runtime",
                         "runtime_version",
                         "device",
                         "threads",
                         "flops_per_s",
                         "bytes_per_s",
                         "least_kernel_us",
                         "overhead_us",
                         "overhead_per_kernel_us",
                         "models",
                         "architectures",
                         "kernels",
                         "measured_width",
                         "model_width",
                         "is_width_certain",
                         "groups",
                         "load_laws",
                         "errors",
                         "known"},
                        {"launching"});
  Predictor predictor;
  predictor.machine = file.text("machine"), predictor.runtime = file.text("runtime");
  predictor.runtime_version = file.text("runtime_version"), predictor.device = file.text("device");
  const std::size_t threads = file.count("threads");
  if (threads < 1 || threads > 1'000'000) file.refuse("'threads' is not a number of threads");
  predictor.threads = static_cast<int>(threads);
  predictor.trees =
      RatioTrees({positive(file, "flops_per_s"), positive(file, "bytes_per_s")}, positive(file, "least_kernel_us"));
  predictor.overhead = {file.number("overhead_us", -1e12), file.number("overhead_per_kernel_us", -1e12)};
  if (file.has("launching") && !file.is_null("launching"))
    predictor.overhead.launching = launching_in(file["launching"], place + ": launching");
  predictor.models = file.count("models"), predictor.architectures = file.count("architectures");
  predictor.kernels = file.count("kernels");
  predictor.measured_width = file.number("measured_width", 0), predictor.model_width = file.number("model_width", 0);
  predictor.is_width_certain = file.flag("is_width_certain");
  for (const Json& group : file.list("groups")) read_group(group, place, predictor, trees);
  for (const Json& law : file.list("load_laws")) predictor.load_laws.push_back(law_in(law, place + ": load_laws"));
  for (const Json& row : file.list("errors")) predictor.errors.push_back(error_row_in(row, place + ": errors"));
  read_known(file, predictor);
  return predictor;
}

Predictor read_predictor(const std::filesystem::path& folder) {
  if (is_predictor_file(folder)) return unpacked_predictor(read_file(folder), printable(folder.string()));
  const auto path = folder / predictor_file;
  return parse_predictor(read_file(path), printable(path.string()),
                         [&](const std::string& name) { return read_file(folder / name); });
}

}  // namespace takt
