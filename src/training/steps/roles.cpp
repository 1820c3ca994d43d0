#include "training/steps/roles.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/basics/text.h"
#include "trace/events/device_categories.h"
#include "trace/events/gpu_time.h"
#include "trace/events/step_marks.h"
#include "training/steps/call_names.h"

namespace takt {
namespace {

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 4> program_categories{"cpu_op", "operator", "user_annotation", ""};
constexpr std::array<std::string_view, 4> scalar_reads{"aten::_local_scalar_dense", "aten::nonzero", "aten::is_nonzero",
                                                       "aten::item"};
/// torch.compile names its phases so, and newer versions two spans around all of them.
constexpr std::array<std::string_view, 2> compilers{"dynamo", "entire_frame_compile"};
constexpr std::array<std::string_view, 6> collectives{"gloo:", "nccl:", "rccl:", "mpi:", "ucc:", "c10d::"};

/// What operators without a category begin with: other programs trace themselves, too, and name what they do alike.
constexpr std::array<std::string_view, 12> frameworks{
    "aten::", "torch::",  "c10d::", "autograd::",  "prim::", "prims::",
    "at::",   "fbgemm::", "c10::",  "quantized::", "torch_", "torchvision::"};

bool is_of_a_framework(std::string_view name) {
  return std::any_of(frameworks.begin(), frameworks.end(),
                     [&](std::string_view front) { return name.starts_with(front); });
}

Role program_role(std::string_view category, std::string_view name) {
  if (step_number(name)) return Role::step;
  if (name.starts_with("Optimizer.step#")) return Role::optimizer;
  for (const std::string_view front : collectives) {
    if (name.starts_with(front)) return Role::collective;
  }
  if (is_one_of(name, scalar_reads)) return Role::scalar_read;
  const bool is_annotation = category == "user_annotation";
  if (name.ends_with("(dynamo_timed)") || (!is_annotation && is_one_of(name, compilers))) return Role::compilation;
  const bool is_framework = name.find("::") != name.npos;
  if (!is_framework && is_data_wait(name)) return Role::data_wait;
  if (is_annotation) return Role::annotation;
  if (category.empty() && !is_of_a_framework(name) && !is_backward(name)) return Role::none;
  return Role::op;
}

}  // namespace

bool is_backward(std::string_view name) {
  return name.find("Backward") != name.npos || name.starts_with("autograd::") ||
         name.find("AccumulateGrad") != name.npos;
}

Role role_of(std::string_view category, std::string_view name) {
  switch (gpu_work(category, name)) {
    case GpuWork::compute:
      return Role::kernel;
    case GpuWork::communication:
      return Role::communication;
    case GpuWork::memory:
      return name.starts_with("Memset") || lower_case(category).ends_with("memset") ? Role::fill : Role::copy;
    case GpuWork::none:
      break;
  }
  if (name == "[memory]") return Role::memory;
  const std::string kind = lower_case(category);
  if (kind == "overhead") return Role::profiling;
  if (is_runtime_category(kind)) return role_of_call(name);
  if (kind == "python_function") return is_loader_frame(name) ? Role::data_wait : Role::frame;
  if (is_one_of(kind, program_categories)) return program_role(kind, name);
  return Role::none;
}

Role RoleBook::of(const TraceEvent& event) {
  if (xla_.is_xla()) return xla_.role_of(event);
  const VendorRow vendor = vendors_[static_cast<std::size_t>(event.row)];
  const std::string& name = trace_.text(event.name);
  if (vendor != VendorRow::none) return role_on(vendor, name);
  const auto key = static_cast<std::uint64_t>(event.category) << 32 | static_cast<std::uint64_t>(event.name);
  const auto [found, is_new] = known_.try_emplace(key, Role::none);
  if (is_new) found->second = role_of(trace_.text(event.category), name);
  return found->second;
}

bool takes_memory(std::string_view name) {
  for (const std::string_view word : {"aten::empty", "aten::zero", "aten::fill_", "aten::ones", "aten::full",
                                      "aten::resize_", "aten::new_", "aten::clone", "aten::rand"}) {
    if (name.starts_with(word)) return true;
  }
  return false;
}

}  // namespace takt
