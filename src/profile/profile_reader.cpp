#include "profile/profile_reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <map>

#include "core/error.h"
#include "core/file.h"
#include "core/text.h"

namespace takt {

namespace dom = simdjson::dom;

namespace {

class RecordedReader {
 public:
  explicit RecordedReader(std::string origin) { profile_.origin = std::move(origin); }

  RecordedProfile read(std::string_view json) {
    dom::parser parser;
    dom::element file;
    if (auto error = parser.parse(simdjson::padded_string(json)).get(file))
      refuse(fmt::format("is no well-formed JSON ({})", simdjson::error_message(error)));
    dom::element takt;
    if (file["takt"].get(takt)) refuse("has no key 'takt': only profiles written by 'takt run --profile' hold samples");
    read_provenance(takt["provenance"]);
    read_names(file["graph_exec"]["operator"]);
    auto profile = object(takt["profile"], "takt.profile");
    profile_.samples = times(profile["samples_ns"], "takt.profile.samples_ns");
    dom::element plain;
    if (!profile["plain_samples_ns"].get(plain))
      profile_.plain_samples = times(profile["plain_samples_ns"], "takt.profile.plain_samples_ns");
    if (profile_.samples.empty()) refuse("holds no profiled run");
    read_usage(takt["usage"]);
    for (auto field : object(profile["operators"], "takt.profile.operators")) read_op(field.key, field.value);
    return std::move(profile_);
  }

 private:
  using Element = simdjson::simdjson_result<dom::element>;

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, profile_.origin + ": " + what);
  }

  dom::object object(const Element& element, std::string_view what) const {
    dom::object found;
    if (element.get(found)) refuse(fmt::format("'{}' is missing or no object", what));
    return found;
  }

  static std::string text(const Element& element) {
    std::string_view found;
    return element.get(found) ? std::string() : std::string(found);
  }

  static std::string text(dom::element element) { return text(Element(dom::element(element))); }

  std::vector<Nanoseconds> times(const Element& element, std::string_view what) const {
    dom::array list;
    if (element.get(list)) refuse(fmt::format("'{}' is missing or no list", what));
    std::vector<Nanoseconds> found;
    for (dom::element item : list) {
      std::int64_t count = 0;
      if (item.get(count) || count < 0) refuse(fmt::format("'{}' holds something other than nanoseconds", what));
      found.emplace_back(count);
    }
    return found;
  }

  void read_provenance(const Element& provenance) {
    profile_.runtime = text(provenance["runtime"]);
    profile_.runtime_version = text(provenance["runtime_version"]);
    profile_.device = text(provenance["device"]);
    profile_.host = text(provenance["host"]);
    profile_.cpu = text(provenance["cpu"]);
    profile_.date = text(provenance["date"]);
    dom::array command;
    if (provenance["command"].get(command)) return;
    // The model is the first word that looks like one: options may stand before it.
    for (dom::element word : command) {
      const std::filesystem::path path = text(word);
      if (path.extension() != ".onnx" && path.extension() != ".xml") continue;
      profile_.model = path.filename().string();
      return;
    }
  }

  /// Sum of a list of counts; nulls (the system did not tell) are left out. nullopt: nothing was told.
  static std::optional<double> sum_of(const Element& element) {
    dom::array list;
    if (element.get(list)) return std::nullopt;
    std::optional<double> sum;
    for (dom::element item : list) {
      double value = 0;
      if (!item.get(value)) sum = sum.value_or(0) + std::max(0.0, value);
    }
    return sum;
  }

  void read_usage(const Element& usage) {
    double waited = 0, used = 0;
    for (const char* pass : {"plain", "profiled"}) {
      const Element part = usage[pass];
      auto delay = sum_of(part["run_delay_ns"]), cpu = sum_of(part["cpu_time_ns"]);
      if (!delay || !cpu) continue;
      waited += *delay + sum_of(part["steal_ns"]).value_or(0);
      used += *cpu;
    }
    if (waited + used > 0) profile_.waiting_share = waited / (waited + used);
  }

  void read_names(const Element& operators) {
    for (auto field : object(operators, "graph_exec.operator")) {
      RecordedOp& op = by_id_[std::string(field.key)];
      op.name = text(field.value["name"]), op.type = text(field.value["type"]);
    }
  }

  void read_op(std::string_view id, dom::element element) {
    const std::string what = fmt::format("takt.profile.operators.{}", printable(id));
    auto named = by_id_.find(std::string(id));
    if (named == by_id_.end()) refuse(fmt::format("'{}' is not among graph_exec.operator", what));
    RecordedOp op = named->second;
    op.kernel = text(element["kernel"]);
    op.samples = times(element["samples_ns"], what + ".samples_ns");
    dom::array fused;
    if (!element["fused"].get(fused))
      for (dom::element name : fused) op.fused.push_back(text(name));
    profile_.ops.push_back(std::move(op));
  }

  RecordedProfile profile_;
  std::map<std::string, RecordedOp> by_id_;
};

}  // namespace

RecordedProfile parse_recorded_profile(std::string_view json, const std::string& origin) {
  return RecordedReader(origin).read(json);
}

RecordedProfile read_recorded_profile(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_recorded_profile(file.text(), printable(path.string()));
}

}  // namespace takt
