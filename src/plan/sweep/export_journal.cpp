#include "plan/sweep/export_journal.h"

#include <nlohmann/json.hpp>

#include "base/files/journal.h"
#include "base/files/strict_json.h"

namespace takt {

std::string export_line(const std::string& model, const ExportRecord& record) {
  return nlohmann::json{{"model", model}, {"openvino", record.converter}, {"files", record.files}}.dump();
}

std::map<std::string, ExportRecord> read_export_journal(const std::filesystem::path& journal) {
  using Json = nlohmann::json;
  std::map<std::string, ExportRecord> records;
  if (!std::filesystem::exists(journal)) return records;
  read_journal(journal, [&](const JournalLine& line) {
    const Json json = strict_json_in(line.text).value_or(Json());
    try {
      records[json.at("model").get<std::string>()] = {json.at("openvino").get<std::string>(),
                                                      json.at("files").get<std::map<std::string, std::string>>()};
    } catch (const Json::exception&) {
    }
  });
  return records;
}

}  // namespace takt
