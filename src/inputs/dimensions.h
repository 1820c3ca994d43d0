// Values for the dimensions that a model leaves open, such that its operators agree with each other.
//
// Three sources, the first that knows wins: what the user gave (an input's shape fixes its symbols everywhere), what
// the operators demand (a convolution's channels, the rows of a matrix, a table of positions), and what is usual for a
// dimension of that name and place. What is usual may still be refused; then the next attempt takes other values.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "runtime/runtime.h"

namespace takt {

class DimensionGuess {
 public:
  /// `graph` may be null. `symbolic`: shapes of the model's tensors as a runtime propagates them while the inputs are
  /// open, with its names of dimensions; may be empty. An unnamed dimension i of input NAME is called "NAME[i]".
  DimensionGuess(const Graph* graph, const std::vector<Port>& inputs,
                 const std::map<std::string, PartialShape>& symbolic);

  /// How many choices there are; later ones replace what was only usual.
  static std::size_t attempts();

  /// The shape of one input, where `given` holds the inputs' shapes that are settled.
  Shape shape_of(const Port& input, const std::map<std::string, Shape>& given, std::size_t attempt) const;

 private:
  struct Unknown {
    std::string parent;  ///< an equal dimension; empty: this one stands for itself
    std::optional<std::int64_t> value;
    std::int64_t at_least = 1;
    std::size_t index = 0, rank = 0;  ///< place in the input that first names it
  };
  using Unknowns = std::map<std::string, Unknown>;

  static std::string root(const Unknowns& unknowns, std::string name);
  static void fix(Unknowns& unknowns, const std::string& name, std::int64_t value);
  void equal(const Dim& a, const Dim& b);
  void at_least(const Dim& dim, std::int64_t size);
  const PartialShape* shape(const Graph& graph, TensorId id) const;
  void read(const Graph& graph, const Op& op);
  void read_broadcast(const Graph& graph, const Op& op);
  void read_convolution(const Graph& graph, const Op& op);
  void read_product(const Graph& graph, const Op& op);
  std::int64_t value_of(const Unknowns& unknowns, const std::string& name, std::size_t attempt) const;

  std::map<std::string, PartialShape> shapes_;
  Unknowns unknowns_;
};

/// An input whose rank the model leaves open gets the rank that its first reader wants (2 where none tells).
PartialShape guess_rank(const Graph& graph, TensorId input);

}  // namespace takt
