#include "profile/profile_samples.h"

#include <simdjson.h>

#include <limits>

#include "core/error.h"

namespace takt {
namespace {

namespace od = simdjson::ondemand;

void read_provenance(od::object provenance, ProfileSamples& samples) {
  for (auto field : provenance) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "cpu" && value.type() == od::json_type::string) samples.cpu = std::string_view(value.get_string());
    if (key == "device" && value.type() == od::json_type::string) samples.device = std::string_view(value.get_string());
    if (key != "settings" || value.type() != od::json_type::object) continue;
    std::string_view threads;
    if (value["threads"].get_string().get(threads) == simdjson::SUCCESS) samples.one_thread = threads == "1";
  }
}

OperatorSamples read_operator(od::object op) {
  OperatorSamples result;
  for (auto field : op) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "kernel" && value.type() == od::json_type::string) result.kernel = std::string_view(value.get_string());
    if (key != "samples_ns") continue;
    for (auto sample : value.get_array()) result.device.emplace_back(double(sample.get_double()) / 1000);
  }
  result.host = result.device;
  return result;
}

void read_takt(od::object takt, ProfileSamples& samples) {
  for (auto field : takt) {
    const std::string_view key = field.unescaped_key();
    od::value value = field.value();
    if (key == "provenance") read_provenance(value.get_object(), samples);
    if (key != "profile") continue;
    for (auto member : value.get_object()) {
      const std::string_view name = member.unescaped_key();
      if (name != "operators") continue;
      for (auto op : member.value().get_object()) {
        const std::string id(std::string_view(op.unescaped_key()));
        samples.operators[id] = read_operator(op.value().get_object());
      }
    }
  }
}

}  // namespace

ProfileSamples parse_takt_samples(std::string_view text, const std::string& origin) try {
  ProfileSamples samples;
  if (text.empty()) return samples;
  const simdjson::padded_string json(text);
  od::parser parser(std::numeric_limits<std::uint32_t>::max());
  od::document document = parser.iterate(json);
  od::object object = document.get_object();
  od::object takt;
  if (object.find_field_unordered("takt").get_object().get(takt) == simdjson::SUCCESS) read_takt(takt, samples);
  return samples;
} catch (const simdjson::simdjson_error&) {
  throw Error(ErrorKind::bad_input, origin + ": the samples under its key 'takt' cannot be read");
}

}  // namespace takt
