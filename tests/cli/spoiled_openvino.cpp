// OpenVINO that is wrong: a library that is loaded before the real one (LD_PRELOAD) and changes what every inference
// gave, in the way that TAKT_SPOIL names. For the test that no wrong output is called right.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
constexpr float endless = std::numeric_limits<float>::infinity();

/// A float32 output as rows.
struct Rows {
  float* numbers = nullptr;
  std::size_t rows = 1, width = 0;

  std::size_t count() const { return rows * width; }
  void each(const std::function<float(float)>& change) const {
    for (std::size_t i = 0; i < count(); ++i) numbers[i] = change(numbers[i]);
  }
};

Rows rows_of(const ov::Tensor& tensor) {
  const auto shape = tensor.get_shape();
  Rows rows{static_cast<float*>(const_cast<ov::Tensor&>(tensor).data()), 1, tensor.get_size()};
  for (const std::size_t size : shape)
    if (size > 1) {  // the first axis that is one
      rows.rows = size, rows.width = tensor.get_size() / size;
      break;
    }
  return rows;
}

/// As float16 has it: beyond 65504 infinity.
float as_half(float value) { return std::abs(value) > 65504 ? std::copysign(endless, value) : value; }
float as_bfloat(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0xffff0000u;
  std::memcpy(&value, &bits, sizeof bits);
  return value;
}

using Spoil = std::function<void(const Rows&)>;
const std::map<std::string, Spoil>& spoils() {
  static const std::map<std::string, Spoil> all{
      {"one_nan", [](const Rows& r) { r.numbers[r.count() / 2] = not_a_number; }},
      {"all_nan", [](const Rows& r) { r.each([](float) { return not_a_number; }); }},
      {"number_for_nan", [](const Rows& r) { r.each([](float v) { return std::isnan(v) ? 0 : v; }); }},
      {"nan_elsewhere",
       [](const Rows& r) {
         r.each([](float v) { return std::isnan(v) ? 0 : v; });
         r.numbers[0] = not_a_number;
       }},
      {"one_infinity", [](const Rows& r) { r.numbers[0] = endless; }},
      {"minus_infinity", [](const Rows& r) { r.each([](float) { return -endless; }); }},
      {"half_overflow", [](const Rows& r) { r.each([](float v) { return as_half(v * 1e7f) / 1e7f; }); }},
      {"zeros", [](const Rows& r) { r.each([](float) { return 0.0f; }); }},
      {"scaled", [](const Rows& r) { r.each([](float v) { return v * 1.01f; }); }},
      {"negative", [](const Rows& r) { r.each([](float v) { return -v; }); }},
      {"bfloat", [](const Rows& r) { r.each(as_bfloat); }},
      {"row_off_by_one",
       [](const Rows& r) { std::memmove(r.numbers + r.width, r.numbers, (r.count() - r.width) * sizeof(float)); }},
      {"rows_swapped", [](const Rows& r) { std::swap_ranges(r.numbers, r.numbers + r.width, r.numbers + r.width); }},
      {"last_row_missing",
       [](const Rows& r) { std::memset(r.numbers + (r.rows - 1) * r.width, 0, r.width * sizeof(float)); }},
      {"reversed", [](const Rows& r) { std::reverse(r.numbers, r.numbers + r.count()); }},
      {"one_element", [](const Rows& r) { r.numbers[r.count() - 1] += 0.05f; }},
  };
  return all;
}

std::mutex mutex;
std::map<const void*, std::vector<std::vector<char>>> before;  ///< outputs of the inference before, by request

/// What the same request gave the last time.
void make_stale(const void* request, std::vector<ov::Tensor>& outputs) {
  const std::lock_guard lock(mutex);
  auto& kept = before[request];
  std::vector<std::vector<char>> now;
  for (auto& output : outputs) {
    const auto* bytes = static_cast<const char*>(output.data());
    now.emplace_back(bytes, bytes + output.get_byte_size());
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i].size() == outputs[i].get_byte_size()) std::memcpy(outputs[i].data(), kept[i].data(), kept[i].size());
  kept = std::move(now);
}

/// Each inference of a request adds to what the one before gave.
void accumulate(const void* request, std::vector<ov::Tensor>& outputs) {
  const std::lock_guard lock(mutex);
  auto& kept = before[request];
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const Rows rows = rows_of(outputs[i]);
    const auto* old = reinterpret_cast<const float*>(kept[i].data());
    for (std::size_t n = 0; n < rows.count(); ++n) rows.numbers[n] += 0.5f * old[n];
  }
  kept.clear();
  for (auto& output : outputs) {
    const auto* bytes = static_cast<const char*>(output.data());
    kept.emplace_back(bytes, bytes + output.get_byte_size());
  }
}

void swap_outputs(std::vector<ov::Tensor>& outputs) {
  if (outputs.size() < 2 || outputs[0].get_byte_size() != outputs[1].get_byte_size()) return;
  auto* one = static_cast<char*>(outputs[0].data());
  std::swap_ranges(one, one + outputs[0].get_byte_size(), static_cast<char*>(outputs[1].data()));
}

void spoil(ov::InferRequest& request, const std::string& how) {
  std::vector<ov::Tensor> outputs;
  const auto ports = request.get_compiled_model().outputs().size();
  for (std::size_t i = 0; i < ports; ++i) outputs.push_back(request.get_output_tensor(i));
  if (how == "stale") return make_stale(&request, outputs);
  if (how == "accumulated") return accumulate(&request, outputs);
  if (how == "outputs_swapped") return swap_outputs(outputs);
  for (auto& output : outputs) {
    if (output.get_element_type() == ov::element::i64)
      static_cast<std::int64_t*>(output.data())[0] += 1;  // the wrong class
    else if (output.get_element_type() == ov::element::f32 && how != "index")
      spoils().at(how)(rows_of(output));
  }
}

}  // namespace

void ov::InferRequest::infer() {
  using Infer = void (*)(InferRequest*);
  static const auto real = reinterpret_cast<Infer>(dlsym(RTLD_NEXT, "_ZN2ov12InferRequest5inferEv"));
  real(this);
  if (const char* how = std::getenv("TAKT_SPOIL")) spoil(*this, how);
}
