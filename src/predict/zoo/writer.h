// The vocabulary that models of the zoo are written in: layers on tensors that know their channels.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/onnx/builder.h"
#include "predict/zoo/weights.h"
#include "predict/zoo/zoo.h"

namespace takt {

/// A tensor of the model; `channels` is dimension 1 of pictures and the last one of everything else.
struct ZooTensor {
  std::string name;
  std::int64_t channels = 0;
};

struct ConvShape {
  std::int64_t out = 0, kernel = 1, stride = 1, groups = 1;
  bool bias = true;                      ///< without one a batch normalisation follows
  std::optional<std::int64_t> pad = {};  ///< on each side; without one half the kernel: the size stays
};

/// Writes one model. Not thread-safe.
class ZooWriter {
 public:
  ZooWriter(const ZooModel& model, std::uint64_t seed);

  const ZooModel& model() const { return model_; }
  std::int64_t scaled(double channels) const;  ///< times the width, a multiple of 8, at least 8
  ZooTensor picture();                         ///< the input, {batch, 3, input, input}
  ZooTensor input(const Shape& shape);         ///< any other

  ZooTensor conv(const ZooTensor& x, const ConvShape& shape);
  /// Conv, then BatchNormalization with a scale around `gain`.
  ZooTensor conv_norm(const ZooTensor& x, ConvShape shape, float gain = 1.4f);
  ZooTensor norm(const ZooTensor& x, float gain = 1.4f);
  ZooTensor local_norm(const ZooTensor& x, std::int64_t size);  ///< LRN over `size` neighbouring channels
  ZooTensor act(const std::string& type, const ZooTensor& x);   ///< an operator of one tensor: "Relu"
  ZooTensor relu6(const ZooTensor& x);
  ZooTensor swish(const ZooTensor& x);
  ZooTensor gelu(const ZooTensor& x);  ///< in the five operators that exporters write
  ZooTensor pool(const std::string& type, const ZooTensor& x, std::int64_t kernel, std::int64_t stride,
                 std::int64_t pad = 0);
  ZooTensor global_pool(const ZooTensor& x);  ///< {batch, channels, 1, 1}
  ZooTensor flat(const ZooTensor& x, std::int64_t numbers);
  ZooTensor linear(const ZooTensor& x, std::int64_t out);  ///< Gemm with a bias
  ZooTensor dense(const ZooTensor& x, std::int64_t out);   ///< MatMul and Add, of any rank
  ZooTensor layer_norm(const ZooTensor& x);
  ZooTensor binary(const std::string& type, const ZooTensor& a, const ZooTensor& b);
  ZooTensor concat(const std::vector<ZooTensor>& tensors);
  ZooTensor reshape(const ZooTensor& x, const Shape& shape, std::int64_t channels);
  ZooTensor transpose(const ZooTensor& x, const Shape& order, std::int64_t channels);
  /// Channels mixed between groups, as between grouped convolutions; `groups` divide the channels of a square picture.
  ZooTensor shuffled(const ZooTensor& x, std::int64_t groups, std::int64_t side);
  ZooTensor scaled_by(const ZooTensor& x, float factor);
  ZooTensor slice(const ZooTensor& x, std::int64_t axis, std::int64_t begin, std::int64_t end);  ///< of the channels
  ZooTensor mean(const ZooTensor& x, std::int64_t axis);                                         ///< the axis is gone
  ZooTensor resized(const ZooTensor& x, std::int64_t factor);  ///< a picture; each number repeated

  std::string places(const std::string& name, std::int64_t count);    ///< an input of row numbers, int64 {count}
  ZooTensor gathered(const ZooTensor& x, const std::string& places);  ///< rows of a matrix
  /// {rows, channels}: the rows of `x` reduced ("add", "max", "mul") onto the rows that `places` names, one for each.
  ZooTensor scattered(const ZooTensor& x, const std::string& places, std::int64_t count, std::int64_t rows,
                      const std::string& reduction);

  void finish(const ZooTensor& y);
  /// The model's file; its weights are in zoo_weights_file.
  std::string bytes() const;
  std::int64_t parameters() const { return parameters_; }
  /// How long that file has to be.
  std::int64_t weight_bytes() const { return places_.end(); }

 private:
  std::string node(const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<NamedAttribute>& attributes = {});
  std::string weight(const Shape& shape, std::int64_t fan_in);
  std::string vector(std::int64_t count, float around, float spread);  ///< small, in the model's own file

  ZooModel model_;
  ModelBuilder builder_;
  ZooWeightPlaces places_;
  LongRandom random_;
  std::map<std::string, int> numbers_;
  int weights_ = 0;
  std::int64_t parameters_ = 0;
};

/// Attention of `heads` heads over {batch, words, numbers}, between the two products that go in and out.
ZooTensor write_attention(ZooWriter& w, const ZooTensor& x, std::int64_t words, std::int64_t heads);

// The families, each from the input to finish().
void write_resnet(ZooWriter& w);
void write_vgg(ZooWriter& w);
void write_squeezenet(ZooWriter& w);
void write_densenet(ZooWriter& w);
void write_inception(ZooWriter& w);
void write_mobilenet(ZooWriter& w);
void write_efficientnet(ZooWriter& w);
void write_transformer(ZooWriter& w);
void write_mlp(ZooWriter& w);
void write_random_chain(ZooWriter& w);

}  // namespace takt
