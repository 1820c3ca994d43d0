// A library of operators as a user of ONNX Runtime builds one: Doubling of the domain test.ops, y = 2 x.
#define ORT_API_MANUAL_INIT  // the program that loads this has the API
#include <onnxruntime_cxx_api.h>

namespace {

struct DoublingKernel {
  void Compute(OrtKernelContext* given) {
    Ort::KernelContext context(given);
    const auto x = context.GetInput(0);
    const auto shape = x.GetTensorTypeAndShapeInfo().GetShape();
    auto y = context.GetOutput(0, shape);
    const std::size_t count = x.GetTensorTypeAndShapeInfo().GetElementCount();
    const auto* from = x.GetTensorData<float>();
    auto* to = y.GetTensorMutableData<float>();
    for (std::size_t i = 0; i < count; ++i) to[i] = 2 * from[i];
  }
};

struct Doubling : Ort::CustomOpBase<Doubling, DoublingKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo*) const { return new DoublingKernel; }
  const char* GetName() const { return "Doubling"; }
  std::size_t GetInputTypeCount() const { return 1; }
  std::size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  ONNXTensorElementDataType GetOutputType(std::size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) OrtStatus* RegisterCustomOps(OrtSessionOptions* options,
                                                                               const OrtApiBase* base) {
  Ort::InitApi(base->GetApi(ORT_API_VERSION));
  static const Doubling doubling;
  static Ort::CustomOpDomain domain("test.ops");
  static const bool is_added = (domain.Add(&doubling), true);
  static_cast<void>(is_added);
  return Ort::GetApi().AddCustomOpDomain(options, domain);
}
