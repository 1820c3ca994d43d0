// The vocabulary that stages are written in: tensors by the names that network.h gives them, sums over edges.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/onnx/builder.h"
#include "plan/gnn/stage_model.h"

namespace takt {

/// Writes one model. Not thread-safe.
class StageWriter {
 public:
  StageWriter(const StageRange& range, const StageModelSettings& settings);

  const StageRange& range() const { return range_; }
  const StageModelSettings& settings() const { return settings_; }
  bool bags() const { return settings_.aggregation == Aggregation::bag && can_bag(range_); }

  /// Adds a node whose output has this name.
  std::string make(const std::string& name, const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<NamedAttribute>& attributes = {});
  /// Adds a node whose output has a name of its own.
  std::string node(const std::string& type, const std::vector<std::string>& inputs,
                   const std::vector<NamedAttribute>& attributes = {});

  std::string weight(const std::string& name, std::int64_t rows, std::int64_t columns);  ///< columns 0: a vector
  std::string number(float value);                                                       ///< float32, of one element
  std::string to_precision(const std::string& float32);  ///< cast where the model's precision is another
  std::string to_float32(const std::string& features);
  std::string column(const std::string& vector);                         ///< [E] as [E,1]
  void make_vector(const std::string& name, const std::string& column);  ///< the other way round

  /// The rows of the nodes that edges lead to, of a table that may have more.
  std::string target_rows(const std::string& table);
  std::string sources();  ///< [E]: where the edges come from
  std::string targets();  ///< [E]: where they lead to

  /// Σ of the rows of `messages` [E,`columns`] over the edges that lead to each node: [N,columns].
  std::string sum_of(const std::string& messages, std::int64_t columns, const std::string& name);
  /// The same of rows of `table` [N,columns] by the edges' sources, times `weights` [E] where given, without
  /// [E,columns].
  std::string bag_of(const std::string& table, const std::string& weights, const std::string& name);
  /// Of float32 values, one per edge (`add`, `max`): [N], `initial` where no edge leads to a node.
  std::string reduced(const std::string& values, const std::string& reduction, float initial,
                      const std::string& name = {});
  /// How many edges lead to each node: [N], float32.
  std::string edge_counts(const std::string& name = {});

  /// The model, with the range's ports.
  OnnxModel finish(int opset);

 private:
  std::string node_count();  ///< [1], int64
  std::string per_node(const std::string& value);
  std::string constant(std::int64_t value);
  std::string zero(const Shape& shape);  ///< in the model's precision, of one element
  void declare_inputs();
  std::string dims_of(const StageTensor& tensor) const;
  ElementType type_of(const StageTensor& tensor) const;

  StageRange range_;
  StageModelSettings settings_;
  RangePorts ports_;
  ModelBuilder builder_;
  std::map<std::string, std::string> made_once_;
};

}  // namespace takt
