#include "measure/open/misplaced_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "model/runtime/runtime.h"

namespace takt {
namespace {

constexpr std::string_view export_from_torch = "export it with torch.onnx.export(model, inputs, \"model.onnx\")";
constexpr std::string_view convert_tensorflow = "convert it to ONNX with tf2onnx";
constexpr std::string_view weights_alone = "it holds weights without operators: export the whole model to ONNX";

/// A format of models that takt hands to no runtime by itself.
struct Format {
  std::string_view name, remedy;
  std::vector<std::string_view> endings;
  std::size_t offset = 0;
  std::string_view bytes = "";      ///< at `offset`; empty: only endings tell
  bool some_runtime_reads = false;  ///< RuntimeTraits::reads_other_formats
};

const std::vector<Format>& formats() {
  static const std::vector<Format> all{
      {"a TensorFlow Lite model", convert_tensorflow, {".tflite"}, 4, "TFL3", true},
      {"a TensorFlow model", convert_tensorflow, {".pb", ".pbtxt", ".savedmodel"}, 0, "", true},
      {"a PaddlePaddle model", "convert it to ONNX with paddle2onnx", {".pdmodel"}, 0, "", true},
      {"a PyTorch file", export_from_torch, {".pt", ".pth", ".ckpt", ".pt2"}},
      {"a Python pickle, as PyTorch saves", export_from_torch, {".pkl"}, 0, "\x80\x02"},
      {"a Keras model", convert_tensorflow, {".h5", ".keras", ".hdf5"}, 0, "\x89HDF"},
      {"a safetensors file", weights_alone, {".safetensors"}},
      {"a GGUF file", weights_alone, {".gguf"}, 0, "GGUF"},
      {"a NumPy file", "give it as the value of an --input", {".npy", ".npz"}, 0, "\x93NUMPY"},
      {"a packed file",
       "unpack it, and name the model in it",
       {".gz", ".zip", ".xz", ".zst", ".bz2", ".7z", ".tar", ".tgz"},
       0,
       "\x1f\x8b"},
      {"a TensorRT engine",
       "it runs only in TensorRT: give the ONNX model that it was built from",
       {".engine", ".plan"}},
  };
  return all;
}

bool is_format(const Format& format, const std::string& ending, std::string_view start) {
  const bool by_bytes =
      !format.bytes.empty() && start.substr(std::min(format.offset, start.size())).starts_with(format.bytes);
  return by_bytes || std::find(format.endings.begin(), format.endings.end(), ending) != format.endings.end();
}

/// Whether IR is the runtime's own format, or it only takes times from a description; of no runtime in particular too,
/// and of one that is not in this binary: opening the file says that.
bool reads_ir(std::string_view runtime) {
  const auto names = runtime_names();
  if (std::find(names.begin(), names.end(), runtime) == names.end()) return true;
  const RuntimeTraits traits = traits_of(runtime);
  return traits.uses_ir || traits.is_simulated;
}

}  // namespace

std::optional<std::string> beginning_of(const std::filesystem::path& path) try {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  std::string block(std::size_t{1} << 14, '\0');
  block.resize(InputFile(path).read(block));
  return block;
} catch (const Error&) {
  return std::nullopt;
}

std::string misplacement(const std::filesystem::path& path, std::string_view start, std::string_view runtime) {
  const std::string ending = lower_case(path.extension().string());
  if (ending == ".xml")
    return reads_ir(runtime) ? ""
                             : fmt::format(
                                   "is OpenVINO's IR, which --runtime {} does not read; give the ONNX model "
                                   "that it was converted from, or use OpenVINO",
                                   runtime);
  const std::string_view text = trim(start);
  if (text.starts_with('{') || (text.starts_with('[') && ending != ".onnx"))
    return "is JSON; name an .onnx or .xml file";
  if (ending == ".yaml" || ending == ".yml")
    return text.find("stages:") != text.npos ? "is YAML; name an .onnx or .xml file"
                                             : fmt::format(
                                                   "is YAML; to use it as a device description, give --device "
                                                   "sim:{}",
                                                   printable(path.stem().string()));
  for (const Format& format : formats()) {
    if (!is_format(format, ending, start)) continue;
    if (!format.some_runtime_reads) return fmt::format("is {}; {}", format.name, format.remedy);
    const std::string reader = runtime_that(&RuntimeTraits::reads_other_formats);
    if (runtime == reader) return "";
    const std::string use = reader.empty() ? "" : fmt::format("--runtime {} reads it, or ", reader);
    return fmt::format("is {}; {}{}", format.name, use, format.remedy);
  }
  return "";
}

void refuse_misplaced_file(const std::filesystem::path& model, std::string_view runtime) {
  const auto start = beginning_of(model);
  const std::string why = start ? misplacement(model, *start, runtime) : "";
  if (!why.empty())
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is not a model that takt runs: it {}", printable(model.string()), why));
}

}  // namespace takt
