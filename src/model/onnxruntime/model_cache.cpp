#include "model/onnxruntime/model_cache.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>
#include <onnxruntime_cxx_api.h>

#include <set>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/provenance.h"
#include "model/onnx/onnx.h"

namespace takt::ort {
namespace {

/// Size and date of each file that holds the model's external data: its bytes may be many.
std::string external_files(const std::filesystem::path& model) {
  std::set<std::string> names;
  const auto read = read_onnx_structure(model);
  for (const auto& tensor : read.proto->graph().initializer())
    for (const auto& entry : tensor.external_data())
      if (entry.key() == "location") names.insert(entry.value());
  names.erase(model.filename().string());  // its bytes are in the key
  std::string text;
  for (const auto& name : names) {
    const auto file = std::filesystem::absolute(model).parent_path() / name;
    text += fmt::format("{} {} {};", name, std::filesystem::file_size(file),
                        std::filesystem::last_write_time(file).time_since_epoch().count());
  }
  return text;
}

std::string key(const std::filesystem::path& model, const SessionSettings& settings, const std::string& device) {
  std::string text = fmt::format("{};{};{};{};", Ort::GetVersionString(), make_provenance({}).cpu, device,
                                 settings.threads.value_or(0));
  for (const auto& [name, value] : settings.properties) text += fmt::format("{}={};", name, value);
  for (const auto& [name, shape] : settings.input_shapes) text += fmt::format("{}{};", name, to_string(shape));
  return fmt::format("{:016x}-{:016x}", fingerprint(MappedFile(model).text()),
                     fingerprint(text + external_files(model)));
}

}  // namespace

CachedModel::CachedModel(const std::filesystem::path& folder, const std::filesystem::path& model,
                         const SessionSettings& settings, const std::string& device)
    : path_(folder / fmt::format("{}-{}.onnx", model.stem().string(), key(model, settings, device))) {}

std::optional<std::string> CachedModel::read() const {
  std::error_code error;
  if (!std::filesystem::exists(path_, error)) return std::nullopt;
  return read_file(path_);
}

void CachedModel::write(const std::string& bytes) const {
  std::error_code error;
  std::filesystem::create_directories(path_.parent_path(), error);
  if (error)
    throw Error(ErrorKind::io, fmt::format("{}: cannot be made: {}; choose another --cache-dir",
                                           printable(path_.parent_path().string()), error.message()));
  write_file_atomically(path_, bytes);
}

}  // namespace takt::ort
