#include "model/onnx/onnx.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <set>
#include <system_error>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/memory/mapped_ranges.h"
#include "model/onnx/attributes.h"
#include "model/onnx/file.h"
#include "model/onnx/graph.h"
#include "model/onnx/lean.h"
#include "model/onnx/open.h"
#include "onnx-ml.pb.h"

namespace takt {
namespace {

constexpr std::int64_t newest_ir = 13;
constexpr std::int64_t newest_opset = 25;

[[noreturn]] void refuse(const ModelPlace& place, const std::string& why) {
  throw Error(ErrorKind::bad_input, place.where + ": " + why);
}

void check_size(const ModelPlace& place, std::uintmax_t size) {
  if (size == 0) refuse(place, "the file is empty");
  if (size > static_cast<std::uintmax_t>(std::numeric_limits<int>::max())) {
    refuse(place,
           "the file is larger than 2 GiB, the limit of protobuf; save the model with its weights as external data");
  }
}

void check_versions(const onnx::ModelProto& proto, const ModelPlace& place) {
  const std::int64_t ir = proto.ir_version();
  if (ir < 1) refuse(place, "the file names no IR version; it is not an ONNX model or is damaged");
  if (ir > newest_ir) {
    throw Error(ErrorKind::unsupported, place.where + ": the model has IR version " + std::to_string(ir) +
                                            ", takt supports up to " + std::to_string(newest_ir) +
                                            "; export it with an older version");
  }
  if (ir >= 3 && proto.opset_import_size() == 0)
    refuse(place, "the file names no operator set; it is damaged or truncated");
  for (const auto& import : proto.opset_import()) {
    if (!import.domain().empty() && import.domain() != "ai.onnx") continue;
    if (import.version() < 1) refuse(place, "the operator set version is " + std::to_string(import.version()));
    if (import.version() > newest_opset) {
      throw Error(ErrorKind::unsupported, place.where + ": the model uses operator set " +
                                              std::to_string(import.version()) + ", takt supports up to " +
                                              std::to_string(newest_opset) + "; export it with an older one");
    }
  }
}

/// Files that hold constants of the model. Those inside of operators' bodies are seldom kept apart and not looked for.
std::vector<std::string> external_files(const onnx::GraphProto& proto) {
  std::set<std::string> names;
  for (const auto& tensor : proto.initializer())
    for (const auto& entry : tensor.external_data())
      if (entry.key() == "location") names.insert(entry.value());
  return {names.begin(), names.end()};
}

void declare_input(onnx::GraphProto& graph, const onnx::TensorProto& weight) {
  auto& input = *graph.add_input();
  input.set_name(weight.name());
  auto& type = *input.mutable_type()->mutable_tensor_type();
  type.set_elem_type(weight.data_type());
  type.mutable_shape();
  for (const auto size : weight.dims()) type.mutable_shape()->add_dim()->set_dim_value(size);
}

}  // namespace

bool is_onnx_file(const std::filesystem::path& path) { return lower_case(path.extension().string()) == ".onnx"; }

OnnxModel read_onnx(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) check_size(place_of(path), size);
  const MappedFile file(path);
  return read_whole(file.text(), [&] { return parse_onnx(file.text(), path); });
}

OnnxModel read_onnx_structure(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (!error) check_size(place_of(path), size);
  const MappedFile file(path);
  return read_whole(file.text(), [&] {
    if (const auto lean = without_weights(file.text(), path.filename().string())) try {
        return parse_onnx(*lean, path);
      } catch (const Error&) {  // of the whole file there may be more to say, or less: a link is not where it seems
      }
    return parse_onnx(file.text(), path);
  });
}

OnnxWithoutWeights onnx_without_weights(const std::filesystem::path& path) {
  const OnnxModel model = read_onnx_structure(path);
  auto& graph = *model.proto->mutable_graph();
  std::set<std::string> inputs;  // before IR 4 weights are inputs, too
  for (const auto& input : graph.input()) inputs.insert(input.name());
  auto& weights = *graph.mutable_initializer();
  for (int i = weights.size() - 1; i >= 0; --i) {
    const auto& weight = weights.Get(i);
    if (weight.data_location() != onnx::TensorProto::EXTERNAL) continue;
    if (inputs.insert(weight.name()).second) declare_input(graph, weight);
    weights.DeleteSubrange(i, 1);
  }
  OnnxWithoutWeights lean{serialize_onnx(*model.proto), {}};
  std::set<std::string> constants;
  for (const auto& weight : weights) constants.insert(weight.name());
  for (const auto& weight : graph.sparse_initializer()) constants.insert(weight.values().name());
  for (const auto& input : graph.input())
    if (!constants.contains(input.name())) lean.inputs.push_back(input.name());
  return lean;
}

OnnxModel parse_onnx(std::string_view bytes, const std::filesystem::path& path) {
  const ModelPlace place = place_of(path);
  check_size(place, bytes.size());
  OnnxModel model;
  model.proto = std::make_shared<onnx::ModelProto>();
  const bool parsed = model.proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  if (!parsed || !model.proto->has_graph()) {
    const std::string format = foreign_format(bytes);
    if (!format.empty()) refuse(place, "this is not an ONNX model but " + format);
    refuse(place, parsed ? "the file has no graph; it is not an ONNX model or is truncated"
                         : "the file is not an ONNX model, or is damaged or truncated");
  }
  check_versions(*model.proto, place);
  read_open_dimensions(*model.proto->mutable_graph());
  model.graph = read_graph(model.proto->graph(), place);
  for (const auto& function : model.proto->functions()) check_function_constants(function, place);
  for (const auto& import : model.proto->opset_import()) {
    model.graph.opsets[import.domain() == "ai.onnx" ? "" : import.domain()] = import.version();
  }
  if (model.proto->opset_import_size() == 0) model.graph.opsets[""] = 1;  // what IR 1 and 2 mean by saying nothing
  model.graph.ir_version = model.proto->ir_version();
  model.graph.path = path;
  model.graph.external_files = external_files(model.proto->graph());
  return model;
}

std::string serialize_onnx(const onnx::ModelProto& proto) {
  if (proto.ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(ErrorKind::unsupported,
                "the model is larger than 2 GiB, the limit of protobuf; keep its weights as external data");
  }
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  proto.SerializeWithCachedSizes(&coded);
  coded.Trim();
  return bytes;
}

void write_onnx(const OnnxModel& model, const std::filesystem::path& path) {
  write_file_atomically(path, serialize_onnx(*model.proto));
}

}  // namespace takt
