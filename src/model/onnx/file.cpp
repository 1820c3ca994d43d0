#include "model/onnx/file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <system_error>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file_roles.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view meaning;
};

constexpr std::array<Signature, 14> signatures = {{
    {0, "\x89PNG", "a PNG image"},
    {0, "\xff\xd8\xff", "a JPEG image"},
    {0, "\x1f\x8b", "gzip-compressed"},
    {0, "PK\x03\x04", "a ZIP archive (PyTorch and NumPy save such)"},
    {0, "\x89HDF", "an HDF5 file (Keras saves such)"},
    {0, "\x28\xb5\x2f\xfd", "zstd-compressed"},
    {0,
     "\x7f"
     "ELF",
     "a program"},
    {0, "\x80\x02", "a Python pickle"},
    {0, "\x80\x04", "a Python pickle"},
    {4, "TFL3", "a TensorFlow Lite model"},
    {4, "ORTM", "a model in ONNX Runtime's own format"},
    {0, "version https://git-lfs", "a Git LFS pointer (fetch the file with git lfs pull)"},
    {0, "GGUF", "a GGUF model"},
    {0, "%PDF", "a PDF document"},
}};

bool is_text(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 512);
  return std::all_of(start.begin(), start.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || c == '\n' || c == '\r' || c == '\t';
  });
}

[[noreturn]] void refuse_external(const ModelPlace& place, const std::string& tensor, const std::string& why) {
  throw Error(ErrorKind::bad_input, place.where + ": the external data of tensor '" + printable(tensor) + "' " + why);
}

bool is_inside(const fs::path& file, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

}  // namespace

std::string foreign_format(std::string_view bytes) {
  for (const Signature& signature : signatures) {
    if (bytes.size() >= signature.offset &&
        bytes.substr(signature.offset).substr(0, signature.bytes.size()) == signature.bytes)
      return std::string(signature.meaning);
  }
  if (!is_text(bytes)) return {};
  const std::string_view text = trim(bytes.substr(0, 4096));
  if (text.empty()) return "blank";
  const bool xml = text.substr(0, 5) == "<?xml" || text.substr(0, 4) == "<net";
  if (xml)
    return text.find("<net") != std::string_view::npos
               ? "an OpenVINO model (XML); give the ONNX model that it was converted from"
               : "XML";
  if (text.front() == '{' || text.front() == '[') return "JSON";
  const std::string start = lower_case(std::string(text.substr(0, 14)));
  if (start.starts_with("<!doctype html") || start.starts_with("<html")) return "a web page; download the model itself";
  if (text.find("ir_version:") != std::string_view::npos)
    return "one written as text; convert it with the package onnx: load its text form, then onnx.save(model, FILE)";
  return "text";
}

ModelPlace place_of(const fs::path& model) {
  if (model.empty()) return {"ONNX model in memory", {}};
  const fs::path folder = model.parent_path();
  ModelPlace place{printable(model.string()), folder.empty() ? fs::path(".") : folder};
  std::error_code error;
  if (fs::is_symlink(model, error)) place.real_folder = fs::canonical(model, error).parent_path();
  return place;
}

fs::path check_external_data(const ModelPlace& place, const std::string& tensor, const std::string& location,
                             std::int64_t offset, std::int64_t length) {
  if (location.empty()) refuse_external(place, tensor, "has no location; export the model again");
  if (place.folder.empty()) refuse_external(place, tensor, "cannot be found, because the model has no folder");
  const std::string named = "is at '" + printable(location) + "', ";
  const fs::path relative(location);
  const bool climbs = std::any_of(relative.begin(), relative.end(), [](const fs::path& part) { return part == ".."; });
  if (relative.is_absolute() || climbs || location.find('\0') != std::string::npos) {
    refuse_external(place, tensor, named + "outside the model's folder; only files in that folder are read");
  }
  std::error_code error;
  const fs::path folder = fs::canonical(place.folder, error);
  if (error) refuse_external(place, tensor, named + "but the model's folder cannot be read (" + error.message() + ")");
  const fs::path file = fs::canonical(folder / relative, error);
  if (error)
    refuse_external(place, tensor, named + "which cannot be found (" + error.message() + "); put it next to the model");
  if (!is_inside(file, folder) && (place.real_folder.empty() || !is_inside(file, place.real_folder))) {
    refuse_external(place, tensor, named + "a link that leaves the model's folder; only files in that folder are read");
  }
  if (!fs::is_regular_file(file, error)) refuse_external(place, tensor, named + "which is not a file");
  check_may_read(file);
  const auto size = fs::file_size(file, error);
  if (error) refuse_external(place, tensor, named + "whose size cannot be read (" + error.message() + ")");
  const auto available = static_cast<std::uint64_t>(size);
  const auto first = static_cast<std::uint64_t>(offset), wanted = static_cast<std::uint64_t>(length);
  if (first > available || wanted > available - first) {
    refuse_external(place, tensor,
                    named + "bytes " + std::to_string(offset) + " to " + std::to_string(first + wanted) +
                        " of a file of " + std::to_string(size) + "; it is truncated or belongs to another model");
  }
  return file;
}

}  // namespace takt
