// A small vocabulary to build ONNX models in code: for tests, demos and models with weights that do not matter.
//
//   ModelBuilder b;
//   auto x = b.input("x", ElementType::f32, {1, 3, 8, 8});
//   auto w = b.weight({16, 3, 3, 3});
//   b.output(b.node("Relu", {b.node("Conv", {x, w}, {{"pads", {1, 1, 1, 1}}})}), ElementType::f32, {1, 16, 8, 8});
//   OnnxModel model = b.build();
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "model/graph/graph.h"
#include "model/onnx/onnx.h"

namespace onnx {
class GraphProto;
class ValueInfoProto;
}  // namespace onnx

namespace takt {

struct NamedAttribute {
  NamedAttribute(std::string attribute_name, Attribute attribute_value)
      : name(std::move(attribute_name)), value(std::move(attribute_value)) {}
  NamedAttribute(std::string attribute_name, std::initializer_list<std::int64_t> integers)
      : name(std::move(attribute_name)), value(std::vector<std::int64_t>(integers)) {}
  std::string name;
  Attribute value;
};

class ModelBuilder;

struct NodeOptions {
  std::string name = {};                  ///< empty: TYPE_NUMBER
  std::string domain = {};                ///< "" is ai.onnx; others are imported with version 1
  std::vector<std::string> outputs = {};  ///< empty: one, NAME_out; "" leaves one out
  std::map<std::string, const ModelBuilder*> subgraphs = {};
};

/// Builds one graph. Equal calls give equal bytes (weights come from `seed`). Not thread-safe. Names that are given are
/// used as they are, also wrong ones: build() refuses what a reader would refuse, serialize() does not look.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string graph_name = "model", std::uint64_t seed = 1);

  /// All of these return the tensor's name.
  std::string input(const std::string& name, ElementType type, const Shape& shape);
  /// Dimensions as text: "batch,3,?,224" (a number, a symbol, or ? for unknown).
  std::string symbolic_input(const std::string& name, ElementType type, const std::string& dims);
  /// float32, uniform in ±sqrt(3 / fan-in) so that values neither grow nor vanish through many layers; the fan-in is
  /// the product of all dimensions but the first (matrices K×N: the first).
  std::string weight(const Shape& shape, const std::string& name = {});
  std::string floats(const std::vector<float>& values, const Shape& shape, const std::string& name = {});
  std::string integers(const std::vector<std::int64_t>& values, const Shape& shape, const std::string& name = {});
  /// A vector of int64, as shapes and axes are given.
  std::string integers(const std::vector<std::int64_t>& values);
  /// A constant of any type out of its little-endian bytes.
  std::string raw(ElementType type, const Shape& shape, const std::string& bytes, const std::string& name = {});

  /// Adds a node; returns the name of its first output.
  std::string node(const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<NamedAttribute>& attributes = {}, const NodeOptions& options = {});

  void output(const std::string& name);  ///< of a type and shape that the runtime infers
  void output(const std::string& name, ElementType type, const Shape& shape);
  void symbolic_output(const std::string& name, ElementType type, const std::string& dims);  ///< as symbolic_input
  void value_info(const std::string& name, ElementType type, const Shape& shape);

  /// The graph under construction, for what the calls above cannot say.
  onnx::GraphProto& graph() { return *graph_; }

  std::string serialize(int opset = 17, int ir = 8) const;
  /// Throws as parse_onnx does.
  OnnxModel build(int opset = 17, int ir = 8, const std::filesystem::path& path = {}) const;

 private:
  std::string fresh(const std::string& wanted, const std::string& prefix);

  std::shared_ptr<onnx::GraphProto> graph_;
  std::map<std::string, int> domains_;
  LongRandom random_;
  int made_ = 0;
};

}  // namespace takt
