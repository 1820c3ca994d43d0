#include "model/onnxruntime/shared_weights.h"

#include <cstdint>

namespace takt::ort {
namespace {

constexpr std::size_t alignment_of_weights = 64;  // kernels may load whole registers

}  // namespace

SharedWeights::SharedWeights(const std::filesystem::path& file, const std::vector<StoredWeight>& weights)
    : file_(std::make_shared<const MappedFile>(file)) {
  const auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  const std::string_view text = file_->text();
  for (const StoredWeight& weight : weights) {
    if (weight.offset > text.size() || weight.bytes > text.size() - weight.offset) continue;
    const char* data = text.data() + weight.offset;
    if (reinterpret_cast<std::uintptr_t>(data) % alignment_of_weights != 0) continue;
    names_.push_back(weight.name);
    // ONNX Runtime takes a pointer to what it may change, but only reads weights.
    values_.push_back(Ort::Value::CreateTensor(memory, const_cast<char*>(data), weight.bytes, weight.shape.data(),
                                               weight.shape.size(),
                                               static_cast<ONNXTensorElementDataType>(weight.type)));
  }
  OrtPrepackedWeightsContainer* packed = nullptr;
  Ort::ThrowOnError(Ort::GetApi().CreatePrepackedWeightsContainer(&packed));
  packed_.reset(packed);
}

void SharedWeights::add_to(Ort::SessionOptions& options) const {
  for (std::size_t i = 0; i < names_.size(); ++i) options.AddInitializer(names_[i].c_str(), values_[i]);
}

Ort::Session SharedWeights::open(const Ort::Env& env, const std::string& bytes, Ort::SessionOptions& options) const {
  add_to(options);
  return Ort::Session(env, bytes.data(), bytes.size(), options, packed_.get());
}

}  // namespace takt::ort
