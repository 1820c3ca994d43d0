#include "report/timelines/work_kinds.h"

#include <array>

#include "base/basics/text.h"
#include "report/timelines/families.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

/// Of kernels of GPU libraries; the first line of which a word is in the name decides: cuDNN's convolutions are matrix
/// products by name, and template arguments of an elementwise kernel name all kinds of functors.
const FamilyWords kernel_families[] = {
    {"k6",
     {"nchwtonhwc", "nhwctonchw", "transpose", "catarray", "permute", "im2col", "col2im", "copy", "gather", "scatter"}},
    {"k1", {"conv", "dgrad", "wgrad", "fprop", "winograd", "scudnn", "hcudnn", "computeoffsets"}},
    {"k4", {"elementwise", "pointwise", "multi_tensor", "multitensor", "dropout", "activation"}},
    {"k3", {"bn_", "batch_norm", "batchnorm", "layer_norm", "layernorm", "softmax", "norm_"}},
    {"k2", {"gemm", "gemv", "cutlass", "attention", "flash_", "fmha", "lstm", "gru", "splitk", "dot_kernel"}},
    {"k5", {"pool", "reduce", "argmax", "argmin", "sort", "topk", "scan"}},
};

/// Of a framework's operators, before the words of families.cpp: "addmm" adds, too.
constexpr std::array<std::string_view, 4> products{"mm", "bmm", "linear", "matmul"};
constexpr std::array<std::string_view, 10> movers{"to",    "to_copy", "contiguous", "view",   "as_strided",
                                                  "clone", "t",       "select",     "unbind", "stack"};

ReportKind kind_of_family(const std::string& family) {
  constexpr std::pair<std::string_view, std::string_view> labels[] = {
      {"k1", "convolution"},        {"k2", "matrix product"}, {"k3", "normalisation"},
      {"k4", "element by element"}, {"k5", "pooling, sums"},  {"k6", "moves data"},
  };
  for (const auto& [kind, label] : labels)
    if (kind == family) return {family, std::string(label)};
  return {"k0", "other"};
}

/// "aten::_convolution", "autograd::engine::evaluate_function: AddmmBackward0".
ReportKind kind_of_operator(std::string_view name) {
  for (const std::string_view end : {"::", ": "})
    if (const auto at = name.rfind(end); at != name.npos) name.remove_prefix(at + 2);
  while (name.starts_with('_')) name.remove_prefix(1);
  std::string word = lower_case(name);
  if (const auto backward = word.find("backward"); backward != word.npos) word.resize(backward);
  for (const std::string_view product : products)
    if (word.ends_with(product)) return kind_of_family("k2");
  for (const std::string_view mover : movers)
    if (word == mover) return kind_of_family("k6");
  return kind_of_family(family_of_type(word));
}

}  // namespace

ReportKind kind_of_work(std::string_view category, std::string_view name) {
  switch (role_of(category, name)) {
    case Role::kernel:
      return kind_of_family(family_by_words(kernel_families, lower_case(name)));
    case Role::communication:
    case Role::collective:
      return {"comm", "communication"};
    case Role::copy:
    case Role::fill:
      return {"copy", "copy, fill"};
    case Role::op:
    case Role::scalar_read:
    case Role::optimizer:
      return kind_of_operator(name);
    case Role::data_wait:
      return {"wait-starved", "data wait"};
    case Role::launch:
      return {"wait-dispatch", "launch"};
    case Role::synchronisation:
      return {"wait-sync", "synchronisation"};
    case Role::allocation:
    case Role::loading:
    case Role::runtime:
      return {"other", "other runtime call"};
    case Role::step:
    case Role::compilation:
    case Role::profiling:
    case Role::annotation:
    case Role::frame:
      return {"host", "the program's own spans"};
    case Role::memory:
    case Role::none:
      break;
  }
  if (category == "copy") return {"copy", "copy, fill"};
  if (category == "partition" || category == "merge") return {"host", "partition, merge"};
  return kind_of_family(family_of_type(category));  // takt run: the type of the operator
}

ReportKind kind_of_stage(std::size_t place, std::string_view name) {
  constexpr std::array<std::string_view, 6> colours{"k1", "k2", "k4", "k3", "k5", "k6"};
  constexpr std::size_t most = 60;  // a page sums by kind
  if (place >= most) return {"k0", "later stages"};
  return {std::string(colours[place % colours.size()]), std::string(name)};
}

}  // namespace takt
