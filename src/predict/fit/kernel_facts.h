// A kernel in its place in a model, as the numbers that a regression learns from.
//
// Problem: the time of a kernel depends on more than the kernel. The same convolution takes up to 13 % longer in one
// model than in another: its weights were pushed out of the caches by the rest of the model, its input was written long
// ago. A predictor that knows only the kernel learns an average of places.
//
// Idea: features come in two kinds. Those of the record say what is computed (work, bytes, dimensions as the kernel
// sees them), those of the context say from where: what one inference touches, and what was touched since the input was
// made. Shapes are described in the words of what is computed, not of one rank: a product has rows, inner and columns,
// whoever calls it, a copy has the length of its runs. What does not apply is missing, never zero: trees have a branch
// for it.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "predict/kernels/graph.h"

namespace takt {

/// Kernels that are predicted by one regression.
enum class KernelGroup { conv, depthwise, product, pool, other };
inline constexpr std::size_t kernel_group_count = 5;
std::string_view name_of(KernelGroup group);  ///< "conv", …
/// Throws Error(bad_input) that begins with `where`.
KernelGroup kernel_group_named(std::string_view name, std::string_view where);

/// Places in KernelFacts::features, in the order of the columns of a dataset.
enum class Feature : std::size_t {
  flops,
  sfu_ops,
  input_bytes,
  output_bytes,
  weight_bytes,
  element_bits,
  batch,
  channels_in,
  height_in,
  width_in,
  channels_out,
  height_out,
  width_out,
  window_height,
  window_width,
  stride,
  dilation,
  groups,
  padding,
  matrices,
  rows,
  inner,
  columns,
  axis_size,
  run_length,
  inputs,
  broadcast,
  model_weight_bytes,
  model_activation_bytes,
  reuse_bytes,
  threads,
};
inline constexpr std::size_t feature_count = static_cast<std::size_t>(Feature::threads) + 1;

struct FeatureText {
  std::string_view name, unit, meaning;  ///< unit: "FLOP", "bytes", "elements", "1"
};
/// In the order of Feature.
std::span<const FeatureText> feature_texts();

struct KernelFacts {
  std::string id;           ///< of its record
  std::string op_type;      ///< canonical name, "Conv_Add_Relu"
  std::string layout;       ///< of the record
  std::string number_type;  ///< of the numbers that it makes: "float32"; empty: not known
  std::string input_shape;  ///< "1x64x56x56"
  KernelGroup group = KernelGroup::other;
  std::vector<double> features;  ///< feature_count of them; NaN: does not apply or is not known

  double operator[](Feature feature) const { return features[static_cast<std::size_t>(feature)]; }
  double& operator[](Feature feature) { return features[static_cast<std::size_t>(feature)]; }
};

/// Returns the facts of every kernel of a model, in its order, for a session of `threads` threads. `records` has every
/// record that the graph names. Thread-safe.
std::vector<KernelFacts> facts_of(const KernelGraph& graph, const std::map<std::string, KernelRecord>& records,
                                  int threads);

/// Bytes of the model's inputs, each once, and of its outputs, as the kernels read and make them.
double io_bytes_of(const KernelGraph& graph, const std::map<std::string, KernelRecord>& records);

/// The operators that a canonical name lists: "Conv_Add_Relu" → {Conv, Add, Relu}. A Sum is an Add of some inputs, and
/// what Adds take is what it takes.
std::vector<std::string> words_of(std::string_view op_type);

}  // namespace takt
