// models.jsonl: which models of a sweep's folder are there whole, a line for each once its files are on disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace takt {

/// What a line says of a model.
struct ExportRecord {
  std::string converter;                     ///< the version of OpenVINO that made the IR; empty: there is none
  std::map<std::string, std::string> files;  ///< path in the sweep's folder → fingerprint
};

std::string export_line(const std::string& model, const ExportRecord& record);

/// The last line of each model, by its name; one that says something else is passed over, so that its model is written
/// anew. Empty where there is no such file. Throws as read_journal() does.
std::map<std::string, ExportRecord> read_export_journal(const std::filesystem::path& journal);

}  // namespace takt
