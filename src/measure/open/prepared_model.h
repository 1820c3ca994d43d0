// A model that is ready to be opened: which runtime, which shapes, which values.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "measure/open/run_result.h"
#include "measure/open/run_settings.h"
#include "model/inputs/dimensions.h"
#include "model/registry/asked.h"

namespace takt {

/// The runtime that `settings` and the model's file name ask for. Throws UsageError on a contradiction.
RuntimeChoice choose_runtime(const std::filesystem::path& model, const RunSettings& settings);

/// The model's inputs as the file declares them, before any shape is settled; a shape that is not known, not even its
/// rank, is empty. Throws Error as run_model does.
std::vector<Port> declared_inputs(const std::filesystem::path& model, const RunSettings& settings);

/// Chooses the runtime, reads the graph, and settles every input's shape. Where the model leaves dimensions open,
/// takt's choice is tried out with one inference, and other choices are made until one works. Throws Error as run_model
/// does.
class PreparedModel {
 public:
  PreparedModel(const std::filesystem::path& model, const RunSettings& settings);

  /// A new session; its inputs are not set.
  std::unique_ptr<Session> open(SessionSettings session) const;
  std::unique_ptr<Session> open(bool profiled) const;
  /// Values for the inputs of a session of this model; the same in every call.
  const std::vector<HostTensor>& values(const std::vector<Port>& inputs);
  /// The same for every turn of inputs that come from a folder or a list of files; none without one. Made anew in every
  /// call. Where their shapes differ, RunResult::turns has those of each.
  std::vector<std::vector<HostTensor>> values_in_turn(const std::vector<Port>& inputs);
  SessionSettings session_settings(bool profiled) const;

  /// Fills shapes in that are not known before an inference, from one more inference with the values so far; where no
  /// runtime of this binary can tell they stay unknown. Needs values().
  void learn_executed_shapes();

  /// `error` of an inference and, where generated values decide what is computed, which to give. Needs values().
  Error explained(const Error& error) const;

  Runtime& runtime() const { return *runtime_; }
  /// For sessions that outlive this object, which then opens no more.
  std::unique_ptr<Runtime> release_runtime() { return std::move(runtime_); }
  RunResult& result() { return result_; }

 private:
  void settle_shapes();
  void choose_shapes(const std::vector<Port>& ports, std::size_t number);
  void search_shapes(const std::vector<Port>& ports);
  InputChoice choice_of_turn(std::size_t turn) const;
  void open_for_turns();
  void learn_shapes();
  std::optional<Graph> graph_with(const std::map<std::string, Shape>& shapes) const;
  void describe_turns(const std::vector<std::vector<HostTensor>>& turns);
  void probe();
  void run_once(Session& session);
  std::unique_ptr<Session> open_as_it_is(const Error& refusal) const;

  RunSettings settings_;  ///< a copy: callers may pass a temporary
  std::unique_ptr<Runtime> runtime_;
  std::vector<Port> declared_;           ///< inputs as the file has them
  InputChoice choice_;                   ///< what the user gave
  std::map<std::string, Shape> shapes_;  ///< of all inputs, in the first turn
  std::optional<DimensionGuess> guess_;  ///< of what the user left open
  std::size_t chosen_try_ = 0;           ///< of `guess_`
  TensorShapes symbolic_;                ///< of tensors, by the names of open dimensions; until sizes are chosen
  bool shapes_differ_ = false;           ///< from turn to turn
  RunResult result_;
};

}  // namespace takt
