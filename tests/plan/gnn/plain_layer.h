// A layer of each network written as its formula says, edge by edge and in double precision: what models are held
// against. It shares nothing with the code that writes the models but their weights.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "plan/gnn/edge_list.h"
#include "plan/gnn/network.h"

namespace takt {

/// Rows of equal length; vectors have rows of one number.
struct PlainTensor {
  std::size_t rows = 0, columns = 1;
  std::vector<double> values;

  double& at(std::size_t row, std::size_t column = 0) { return values[row * columns + column]; }
  double at(std::size_t row, std::size_t column = 0) const { return values[row * columns + column]; }
};

PlainTensor plain_tensor(std::size_t rows, std::size_t columns = 1);

/// Every tensor of the layer by the names of network.h, `x` among them.
std::map<std::string, PlainTensor> plain_layer(Network network, const EdgeList& edges, const PlainTensor& x,
                                               std::size_t hidden, std::uint64_t seed);

}  // namespace takt
