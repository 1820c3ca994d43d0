#include "measure/profiles/run_record.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/padded_text.h"
#include "base/statistics/statistics.h"
#include "measure/profiles/json_cursor.h"

namespace takt {

namespace od = simdjson::ondemand;

namespace {

constexpr std::string_view key_takt = "takt";

[[noreturn]] void refuse(const std::string& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, file + ": " + what);
}

[[noreturn]] void refuse_missing(const std::string& file, std::string_view what, std::string_view kind) {
  refuse(file, fmt::format("'{}' is missing or not {}", what, kind));
}

/// simdjson on one value of the file, in place: `read(document)`. Operators come by the thousand, so the parser and its
/// buffers are kept by each thread.
template <typename Read>
void parse_value(std::string_view value, const std::string& file, std::string_view what, Read read) {
  thread_local od::parser parser;
  try {
    od::document document = parser.iterate(value.data(), value.size(), value.size() + PaddedText::padding);
    read(document);
  } catch (const simdjson::simdjson_error& error) {
    refuse(file, fmt::format("'{}' is not well-formed JSON ({})", what, simdjson::error_message(error.error())));
  }
}

/// Empty: another value, null for instance.
std::string text_of(od::value value) {
  return value.type() == od::json_type::string ? std::string(std::string_view(value.get_string())) : std::string();
}

std::vector<std::string> texts_of(od::value list) {
  std::vector<std::string> texts;
  if (list.type() != od::json_type::array) return texts;
  for (auto text : list.get_array()) texts.push_back(text_of(text.value()));
  return texts;
}

template <typename List>
std::vector<Nanoseconds> times_in(List list, const std::string& file, std::string_view what) {
  std::vector<Nanoseconds> found;
  for (auto item : list) {
    std::int64_t count = 0;
    if (item.get_int64().get(count) || count < 0)
      refuse(file, fmt::format("'{}' has a value that is not a number of nanoseconds", what));
    found.emplace_back(count);
  }
  return found;
}

std::vector<Nanoseconds> times_of_list(std::string_view list, const std::string& file, std::string_view what) {
  std::vector<Nanoseconds> found;
  if (list.empty()) return found;
  if (list.front() != '[') refuse_missing(file, what, "a list");
  parse_value(list, file, what, [&](od::document& document) { found = times_in(document.get_array(), file, what); });
  return found;
}

/// The model is the first word that looks like one: options may stand before it.
std::string model_of(od::value command) {
  if (command.type() != od::json_type::array) return "";
  for (auto word : command.get_array()) {
    const std::filesystem::path path = text_of(word.value());
    if (path.extension() == ".onnx" || path.extension() == ".xml") return path.filename().string();
  }
  return "";
}

void read_origin(od::object provenance, RunOrigin& origin) {
  for (auto field : provenance) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "runtime") origin.runtime = text_of(value);
    if (key == "runtime_version") origin.runtime_version = text_of(value);
    if (key == "device") origin.device = text_of(value);
    if (key == "host") origin.host = text_of(value);
    if (key == "cpu") origin.cpu = text_of(value);
    if (key == "date") origin.date = text_of(value);
    if (key == "command" && origin.model.empty()) origin.model = model_of(value);
    if (key != "settings" || value.type() != od::json_type::object) continue;
    for (auto setting : value.get_object()) {
      const std::string name(std::string_view(setting.unescaped_key()));
      origin.settings[name] = text_of(setting.value());
    }
    const auto threads = origin.settings.find("threads");
    origin.one_thread = threads != origin.settings.end() && threads->second == "1";
  }
}

void read_model(od::object model, RunOrigin& origin) {
  for (auto field : model) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "path")
      if (std::string name = std::filesystem::path(text_of(value)).filename().string(); !name.empty())
        origin.model = std::move(name);
    if (key == "fingerprint") origin.content = text_of(value);
  }
}

/// [1, 3, 224, 224] as takt writes shapes elsewhere.
std::string shape_of(od::value list) {
  std::vector<std::int64_t> extents;
  if (list.type() != od::json_type::array) return "";
  for (auto item : list.get_array()) extents.push_back(item.get_int64());
  return fmt::format("{{{}}}", fmt::join(extents, ","));
}

RecordedInput read_input(od::object object) {
  RecordedInput input;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "name") input.name = text_of(value);
    if (key == "type") input.type = text_of(value);
    if (key == "shape") input.shape = shape_of(value);
    if (key == "origin") input.origin = text_of(value);
  }
  return input;
}

/// The numbers of a list; nulls (the system did not tell) are left out.
std::vector<double> numbers_of(od::value list) {
  std::vector<double> numbers;
  if (list.type() != od::json_type::array) return numbers;
  for (auto item : list.get_array()) {
    double value = 0;
    if (item.type() == od::json_type::number && !item.get_double().get(value)) numbers.push_back(value);
  }
  return numbers;
}

/// Sum of a list of counts. nullopt: nothing was told.
std::optional<double> sum_of(od::value list) {
  std::optional<double> sum;
  for (const double value : numbers_of(list)) sum = sum.value_or(0) + std::max(0.0, value);
  return sum;
}

/// Of one pass: processor time used and wanted in vain, and how long walks through the caches took.
struct PassUsage {
  std::optional<double> delay, cpu, steal;
  std::vector<double> walks;
};

PassUsage usage_of(od::object pass) {
  PassUsage usage;
  for (auto field : pass) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "run_delay_ns") usage.delay = sum_of(value);
    if (key == "cpu_time_ns") usage.cpu = sum_of(value);
    if (key == "steal_ns") usage.steal = sum_of(value);
    if (key == "cache_walk_ns") usage.walks = numbers_of(value);
  }
  return usage;
}

/// What the process waited for of the processor time that it wanted, and how long the caches took.
struct MachineUse {
  std::optional<double> waiting_share, cache_walk_ns;
};

MachineUse machine_use_of(od::object usage) {
  double waited = 0, used = 0;
  std::vector<double> walks;
  for (auto field : usage) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if ((key != "plain" && key != "profiled") || value.type() != od::json_type::object) continue;
    const PassUsage pass = usage_of(value.get_object());
    std::copy_if(pass.walks.begin(), pass.walks.end(), std::back_inserter(walks), [](double ns) { return ns > 0; });
    if (!pass.delay || !pass.cpu) continue;
    waited += *pass.delay + pass.steal.value_or(0);
    used += *pass.cpu;
  }
  return {waited + used > 0 ? std::optional(waited / (waited + used)) : std::nullopt, median(walks)};
}

/// Unset: null, or no number.
std::optional<double> bytes_of(od::value value) {
  double bytes = 0;
  if (value.type() != od::json_type::number || value.get_double().get(bytes)) return std::nullopt;
  return bytes;
}

void read_pass_memory(od::object pass, RecordedMemory& memory) {
  for (auto field : pass) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "load_peak_bytes") memory.load_peak = bytes_of(value);
    if (key == "run_peak_bytes") memory.run_peak = bytes_of(value);
  }
}

void read_memory(od::object object, RecordedMemory& memory) {
  bool has_plain = false;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "weight_bytes") memory.weights = bytes_of(value);
    if (key == "activation_peak_bytes") memory.activation_peak = bytes_of(value);
    const bool is_plain = key == "plain";
    if ((!is_plain && (key != "profiled" || has_plain)) || value.type() != od::json_type::object) continue;
    read_pass_memory(value.get_object(), memory);
    has_plain = has_plain || is_plain;
  }
}

void read_kept(od::object object, const std::string& file, const std::string& what, RecordedSamples& times) {
  bool has_samples = false;
  for (auto field : object) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "kernel") times.kernel = text_of(value);
    if (key == "constant_bytes" && value.type() == od::json_type::number) times.constants = value.get_double().value();
    if (key == "fused") times.fused = texts_of(value);
    if (key == "tensors") times.tensors = texts_of(value);
    if (key != "samples_ns" || value.type() != od::json_type::array) continue;
    times.samples = times_in(value.get_array(), file, what + ".samples_ns");
    has_samples = true;
  }
  if (!has_samples) refuse_missing(file, what + ".samples_ns", "a list");
}

}  // namespace

/// Walks the outer levels by their brackets.
class RunRecord::Reader {
 public:
  Reader(RunRecord& record, std::string_view value) : record_(record), cursor_(value, 0, value.size()) {}

  void read() try {
    if (cursor_.peek() != '{') refuse_missing(record_.file_, key_takt, "an object");
    cursor_.object([&](std::string_view key) {
      if (key == "provenance")
        read_member([&](od::object object) { read_origin(object, record_.origin_); }, "takt.provenance");
      else if (key == "model")
        read_member([&](od::object object) { read_model(object, record_.origin_); }, "takt.model");
      else if (key == "inputs")
        read_inputs();
      else if (key == "precision")
        read_precision();
      else if (key == "usage")
        read_usage();
      else if (key == "memory")
        read_member([&](od::object object) { read_memory(object, record_.memory_); }, "takt.memory");
      else if (key == "profile")
        read_profile();
      else
        cursor_.value();
    });
  } catch (const OddJson& odd) {
    refuse(record_.file_, fmt::format("the value of its key '{}' {}", key_takt, odd.what));
  }

 private:
  template <typename Read>
  void read_member(Read read, std::string_view what) {
    const std::string_view value = cursor_.value();
    if (value.starts_with('{'))
      parse_value(value, record_.file_, what, [&](od::document& document) { read(document.get_object()); });
  }

  void read_inputs() {
    const std::string_view value = cursor_.value();
    if (!value.starts_with('[')) return;
    parse_value(value, record_.file_, "takt.inputs", [&](od::document& document) {
      auto& inputs = record_.origin_.inputs.emplace();
      for (auto item : document.get_array()) inputs.push_back(read_input(item.get_object()));
    });
  }

  void read_precision() {
    const std::string_view value = cursor_.value();
    if (value.size() > 2 && value.starts_with('"')) record_.origin_.precision = value.substr(1, value.size() - 2);
  }

  void read_usage() {
    record_.has_usage_ = true;
    read_member(
        [&](od::object object) {
          const MachineUse use = machine_use_of(object);
          record_.waiting_share_ = use.waiting_share, record_.cache_walk_ns_ = use.cache_walk_ns;
        },
        "takt.usage");
  }

  void read_profile() {
    if (cursor_.peek() != '{') refuse_missing(record_.file_, "takt.profile", "an object");
    record_.has_profile_ = true;
    cursor_.object([&](std::string_view key) {
      if (key == "samples_ns")
        record_.samples_ = cursor_.value();
      else if (key == "plain_samples_ns")
        record_.plain_samples_ = cursor_.value();
      else if (key == "operators")
        read_operators();
      else
        cursor_.value();
    });
  }

  void read_operators() {
    if (cursor_.peek() != '{') refuse_missing(record_.file_, "takt.profile.operators", "an object");
    record_.operators_.clear();
    cursor_.object([&](std::string_view id) {
      record_.places_[std::string(id)] = record_.operators_.size();
      record_.operators_.push_back({std::string(id), cursor_.value()});
    });
  }

  RunRecord& record_;
  JsonCursor cursor_;
};

RunRecord::RunRecord(std::string_view padded_value, std::string file) : file_(std::move(file)) {
  if (!padded_value.empty()) Reader(*this, padded_value).read();
}

std::vector<Nanoseconds> RunRecord::samples() const {
  return times_of_list(samples_, file_, "takt.profile.samples_ns");
}

std::vector<Nanoseconds> RunRecord::plain_samples() const {
  return times_of_list(plain_samples_, file_, "takt.profile.plain_samples_ns");
}

const RunRecord::Operator* RunRecord::find(const std::string& id) const {
  const auto place = places_.find(id);
  return place == places_.end() ? nullptr : &operators_[place->second];
}

RecordedSamples RunRecord::times_of(const Operator& op) const {
  const std::string what = fmt::format("takt.profile.operators.{}", printable(op.id));
  if (!op.text.starts_with('{')) refuse_missing(file_, what, "an object");
  RecordedSamples times;
  parse_value(op.text, file_, what,
              [&](od::document& document) { read_kept(document.get_object(), file_, what, times); });
  return times;
}

}  // namespace takt
