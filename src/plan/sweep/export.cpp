#include "plan/sweep/export.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/files/folder_lock.h"
#include "base/files/journal.h"
#include "plan/sweep/export_journal.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

const fs::path home = "exported_models";
const fs::path onnx_folder = home / "onnx_models", ir_folder = home / "ir_models";
const fs::path journal_name = home / "models.jsonl";

std::string fingerprint_text(std::string_view bytes) { return fmt::format("{:016x}", fingerprint(bytes)); }

bool holds(const fs::path& file, const std::string& expected) {
  std::error_code error;
  return fs::is_regular_file(file, error) && fingerprint_text(read_file(file)) == expected;
}

class Exporter {
 public:
  explicit Exporter(const ExportSettings& settings)
      : settings_(settings),
        version_(settings.converter ? settings.converter->version() : ""),
        records_(read_export_journal(settings.folder / journal_name)) {}

  ExportedModel export_one(const StageExport& what) {
    const std::string bytes = serialize_onnx(*stage_model(what.stage, what.settings).proto);
    ExportedModel made{what, onnx_file(what), std::nullopt, false};
    const fs::path ir = ir_file(what);
    if (!is_there(what.name(), made.onnx, bytes)) {
      begin_writing();
      made.is_new = !is_there(what.name(), made.onnx, bytes);  // or another program has written it meanwhile
    }
    if (made.is_new) write(what.name(), made.onnx, ir, bytes);
    if (records_[what.name()].files.contains(ir.generic_string())) made.ir = ir;
    return made;
  }

 private:
  /// Once something has to be written. Of several programs that find so, as parts of one sweep do, one writes and the
  /// others wait and look again.
  void begin_writing() {
    if (journal_) return;
    make_folders(settings_.folder / onnx_folder);
    if (settings_.converter) make_folders(settings_.folder / ir_folder);
    alone_.emplace(settings_.folder / home);
    records_ = read_export_journal(settings_.folder / journal_name);
    journal_.emplace(settings_.folder / journal_name);
  }

  /// With its files as they were written, of these bytes, and converted where that can be done here.
  bool is_there(const std::string& name, const fs::path& onnx, const std::string& bytes) const {
    const auto found = records_.find(name);
    if (found == records_.end()) return false;
    const ExportRecord& record = found->second;
    const auto of_model = record.files.find(onnx.generic_string());
    if (of_model == record.files.end() || of_model->second != fingerprint_text(bytes)) return false;
    if (settings_.converter && record.converter != version_) return false;
    for (const auto& [file, expected] : record.files)
      if (!holds(settings_.folder / file, expected)) return false;
    return true;
  }

  void write(const std::string& name, const fs::path& onnx, const fs::path& ir, const std::string& bytes) {
    const std::array ir_files{ir, fs::path(ir).replace_extension(".bin")};
    // An older model's IR beside the new model would be taken for its own.
    std::error_code ignored;
    for (const fs::path& file : ir_files) fs::remove(settings_.folder / file, ignored);
    write_file_atomically(settings_.folder / onnx, bytes);
    ExportRecord record{version_, {{onnx.generic_string(), fingerprint_text(bytes)}}};
    if (settings_.converter && settings_.converter->convert(settings_.folder / onnx, settings_.folder / ir))
      for (const fs::path& file : ir_files)
        record.files[file.generic_string()] = fingerprint_text(read_file(settings_.folder / file));
    journal_->append(export_line(name, record));
    records_[name] = std::move(record);
  }

  const ExportSettings& settings_;
  std::string version_;
  std::map<std::string, ExportRecord> records_;
  std::optional<FolderLock> alone_;
  std::optional<Journal> journal_;
};

StageModelSettings settings_for(const SweepCases& cases, ElementType precision, std::optional<GraphSize> size = {}) {
  StageModelSettings settings;
  settings.features = settings.hidden = cases.features;
  settings.precision = precision;
  settings.size = size;
  return settings;
}

}  // namespace

std::string StageExport::name() const {
  std::string text = to_string(stage) + "_" + lower_case(device);
  if (settings.size) text += fmt::format("_n{}_e{}", settings.size->nodes, settings.size->edges);
  return text;
}

StageExport export_of(const StageRange& stage, const std::string& unit, const GraphSize& size) {
  StageExport what{stage, unit, {}};
  if (unit == "NPU") what.settings.size = size;
  return what;
}

fs::path onnx_file(const StageExport& model) { return onnx_folder / (model.name() + ".onnx"); }
fs::path ir_file(const StageExport& model) { return ir_folder / (model.name() + ".xml"); }

std::vector<StageExport> stage_exports(const std::vector<Network>& networks, const SweepCases& cases, bool ranges) {
  std::vector<StageExport> exports;
  for (const Network network : networks)
    for (const StageRange& stage : ranges_of(network)) {
      if (stage.first != stage.last && !ranges) continue;
      exports.push_back({stage, "CPU", settings_for(cases, ElementType::f32)});
      exports.push_back({stage, "GPU", settings_for(cases, ElementType::f16)});
      for (const GraphSize& size : cases.sizes)
        exports.push_back({stage, "NPU", settings_for(cases, ElementType::f16, size)});
    }
  return exports;
}

std::vector<ExportedModel> export_models(const std::vector<StageExport>& exports, const ExportSettings& settings) {
  Exporter exporter(settings);
  std::vector<ExportedModel> models;
  for (const StageExport& what : exports) {
    if (settings.stop && *settings.stop)
      throw Error(ErrorKind::runtime, fmt::format("stopped after {} of {} models; the same command resumes from here",
                                                  models.size(), exports.size()));
    if (settings.progress) settings.progress(models.size(), exports.size());
    models.push_back(exporter.export_one(what));
  }
  return models;
}

}  // namespace takt
