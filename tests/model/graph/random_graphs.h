// Graphs drawn at random, for what must hold in every graph.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/statistics/random.h"
#include "model/onnx/builder.h"
#include "onnx-ml.pb.h"

namespace takt {

/// Every operator is reached from an input; some read an initializer or a tensor twice, some make two tensors, some
/// results are read by nobody. The nodes stand in the file in any order. All tensors are float32 of 1 to 9 elements.
inline Graph random_graph(std::uint64_t seed, int ops) {
  Random random(seed);
  const auto up_to = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  ModelBuilder b("random");
  std::vector<std::string> tensors;
  for (std::size_t i = 0, count = 1 + up_to(3); i < count; ++i)
    tensors.push_back(b.input("x" + std::to_string(i), ElementType::f32, {1}));
  const std::string weight = b.weight({1}, "w");
  for (int op = 0; op < ops; ++op) {
    std::vector<std::string> read;
    for (std::size_t i = 0, count = 1 + up_to(5) / 3; i < count; ++i) {
      const std::size_t back = up_to(up_to(4) == 0 ? tensors.size() : std::min<std::size_t>(tensors.size(), 2));
      read.push_back(tensors[tensors.size() - 1 - back]);
    }
    if (up_to(4) == 0) read.push_back(weight);
    const std::string made = "t" + std::to_string(op);
    std::vector<std::string> outputs{made};
    if (up_to(5) == 0) outputs.push_back(made + "b");
    b.node(outputs.size() == 1 ? "Sum" : "Split", read, {}, {.outputs = outputs});
    tensors.insert(tensors.end(), outputs.begin(), outputs.end());
  }
  std::vector<std::string> results{tensors.back()};
  for (std::size_t i = up_to(3); i > 0; --i)
    if (const auto& name = tensors[up_to(tensors.size())];
        std::find(results.begin(), results.end(), name) == results.end())
      results.push_back(name);
  for (const auto& name : results) b.output(name);
  auto& nodes = *b.graph().mutable_node();
  for (int i = 1; i < nodes.size(); ++i)
    nodes.SwapElements(i, static_cast<int>(up_to(static_cast<std::size_t>(i) + 1)));
  Graph graph = b.build().graph;
  for (Tensor& tensor : graph.tensors) {
    const auto size = static_cast<std::int64_t>(1 + up_to(9));
    tensor.type = ElementType::f32;
    tensor.shape = PartialShape{{size, ""}};
    tensor.bytes = 4 * size;
  }
  return graph;
}

}  // namespace takt
