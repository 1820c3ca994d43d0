#include "model/runtime/model_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file_roles.h"

namespace takt {

namespace {

/// ", such as DIR/onnx/model.onnx": the first model in a folder or one level below; empty where there is none.
std::string model_inside(const std::filesystem::path& folder) {
  constexpr int most_looked_at = 1000, deepest = 1;
  std::vector<std::filesystem::path> found;
  std::error_code error;
  std::filesystem::recursive_directory_iterator entry(folder, error), end;
  for (int i = 0; i < most_looked_at && !error && entry != end; ++i, entry.increment(error)) {
    if (entry.depth() >= deepest) entry.disable_recursion_pending();
    const auto ending = lower_case(entry->path().extension().string());
    if (ending == ".onnx" || ending == ".xml") found.push_back(entry->path());
  }
  return found.empty() ? "" : ", such as " + printable(std::min_element(found.begin(), found.end())->string());
}

}  // namespace

void check_model_file(const std::filesystem::path& model) {
  const std::string shown = printable(model.string());
  std::error_code error;
  const auto status = std::filesystem::status(model, error);
  if (!std::filesystem::exists(status)) throw Error(ErrorKind::io, fmt::format("{}: no such file", shown));
  if (std::filesystem::is_directory(status))
    throw Error(ErrorKind::bad_input, fmt::format("{}: is a folder; name a model file{}", shown, model_inside(model)));
  if (!std::filesystem::is_regular_file(status))  // an SDK opens it again
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is a pipe or a device; a model is read several times, so write it to a file", shown));
  check_may_read(model);
  if (model.extension() == ".xml") check_may_read(std::filesystem::path(model).replace_extension(".bin"));
  std::ifstream stream(model, std::ios::binary);
  if (!stream) throw Error(ErrorKind::io, fmt::format("{}: cannot be opened; check its permissions", shown));
  if (stream.peek() == std::char_traits<char>::eof())
    throw Error(ErrorKind::bad_input, fmt::format("{}: the file is empty; export the model again", shown));
}

}  // namespace takt
