// Values for the dimensions that a model leaves open, such that its operators agree with each other.
//
// Three sources, the first that knows wins: what the user gave (an input's shape fixes its symbols everywhere), what
// the operators demand (a convolution's channels, the rows of a matrix, a table of positions), and what is usual for a
// dimension of that name and place (usual_sizes.h). What is usual may still be refused; then later tries take other
// values: first 1 for all of an input that is open as a whole beside a picture (a first state of any size), then all
// dimensions that nobody demands the same one, then one dimension at a time another one, with the others as usual or 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/graph/graph.h"
#include "model/runtime/runtime.h"

namespace takt {

class DimensionGuess {
 public:
  /// `graph` may be null. `symbolic`: shapes of the model's tensors as a runtime propagates them while the inputs are
  /// open, with its names of dimensions; may be empty. An unnamed dimension i of input NAME is called "NAME[i]".
  DimensionGuess(const Graph* graph, const std::vector<Port>& inputs,
                 const std::map<std::string, PartialShape>& symbolic);

  /// How many choices there are, at most 150; later ones replace what was only usual. Two may be the same.
  std::size_t tries() const { return tries_.size(); }

  /// The shape of one input, where `given` holds the inputs' shapes that are settled.
  Shape shape_of(const Port& input, const std::map<std::string, Shape>& given, std::size_t number) const;

 private:
  struct Unknown {
    std::string parent = {};  ///< an equal dimension; empty: this one stands for itself
    std::optional<std::int64_t> value = {};
    std::int64_t at_least = 1, at_most = std::numeric_limits<std::int64_t>::max();
    std::int64_t parts = 1;         ///< it is a multiple of
    std::int64_t usual = 1;         ///< at its place in the input that first names it
    bool is_of_open_input = false;  ///< every input that has it leaves all its dimensions open
  };
  /// What a try has instead of the usual.
  struct Try {
    std::optional<std::int64_t> size;  ///< unset: all is as usual
    std::string of;                    ///< of this one alone; empty: of all but batches
    bool others_are_one = false;       ///< instead of usual
    bool open_inputs_are_one = false;  ///< those of is_of_open_input, the others as usual
  };
  using Unknowns = std::map<std::string, Unknown>;

  static std::string root(const Unknowns& unknowns, std::string name);
  static void fix(Unknowns& unknowns, const std::string& name, std::int64_t value);
  void equal(const Dim& a, const Dim& b);
  void usually(const Dim& dim, std::int64_t size);
  void at_least(const Dim& dim, std::int64_t size);
  void multiple_of(const Dim& dim, std::int64_t parts);
  const PartialShape* shape(const Graph& graph, TensorId id) const;
  void read(const Graph& graph, const Op& op);
  void read_broadcast(const Graph& graph, const Op& op);
  void read_convolution(const Graph& graph, const Op& op);
  void read_product(const Graph& graph, const Op& op);
  void read_recurrent(const Graph& graph, const Op& op);
  void read_packed_attention(const Graph& graph, const Op& op);
  void is_sum(const Dim& dim, const std::vector<Dim>& parts);
  void read_blocks(const Graph& graph, const Op& op);
  void read_features(const Graph& graph, const Op& op);
  void plan_tries();
  std::int64_t value_of(const Unknowns& unknowns, const std::string& name, const Try& choice) const;

  std::map<std::string, PartialShape> shapes_;
  Unknowns unknowns_;
  std::map<std::string, std::vector<Dim>> sums_;  ///< dimensions that are as large as others together
  std::vector<Try> tries_;
  bool has_states_ = false;   ///< an input of rank 4 is open as a whole
  bool has_picture_ = false;  ///< another one is not
};

/// An input whose rank the model leaves open gets the rank that its first reader wants (2 where none tells).
PartialShape guess_rank(const Graph& graph, TensorId input);

}  // namespace takt
