#include "plan/run/model_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "base/basics/text.h"
#include "base/files/temporary_folder.h"
#include "model/graph/run_order.h"
#include "model/inputs/tensor_values.h"
#include "model/onnx/in_float32.h"
#include "model/onnx/pieces.h"
#include "model/runtime/runtime.h"
#include "pipeline/stages/float_types.h"

namespace takt {
namespace {

namespace fs = std::filesystem;

constexpr double of_one_runtime = 1e-4;  ///< the same operators, one by one, on the same runtime
constexpr std::size_t places_rounded = 16;
constexpr std::uint64_t roundings_tried = 2;  ///< of each input

/// With the shapes that `known` has for tensors of the same names, and its types but for halves.
void take_shapes(const Graph& known, Graph& graph) {
  std::map<std::string, const Tensor*> by_name;
  for (const Tensor& tensor : known.tensors) by_name.emplace(tensor.name, &tensor);
  for (Tensor& tensor : graph.tensors) {
    const auto found = by_name.find(tensor.name);
    if (found == by_name.end()) continue;
    if (!tensor.shape) tensor.shape = found->second->shape;
    if (tensor.type != ElementType::undefined) continue;
    const ElementType type = found->second->type;
    tensor.type = coarseness_of(type) == Coarseness::float32 ? type : ElementType::f32;
  }
}

/// Those of the plans and so many others that values are looked at often enough on their way.
std::vector<Cut> finer_cuts(const Graph& graph, const std::vector<Cut>& cuts) {
  std::map<std::size_t, Cut> by_place;
  const auto all = find_cuts(graph, std::numeric_limits<std::size_t>::max());
  const std::size_t step = all.size() / places_rounded + 1;
  // From the back: a softmax at the end makes the most of the last digit.
  for (std::size_t at = all.size(); at > 0; at -= std::min(at, step)) by_place.emplace(all[at - 1].place, all[at - 1]);
  for (const Cut& cut : cuts) by_place.emplace(cut.place, cut);
  std::vector<Cut> chosen;
  for (auto& [place, cut] : by_place) chosen.push_back(std::move(cut));
  return chosen;
}

/// A model on the host, its operators one by one.
class HostModel {
 public:
  HostModel(const fs::path& file, const std::string& runtime, const NamedValues& first)
      : model_(read_onnx_structure(file)), runtime_(make_runtime(runtime)) {
    SessionSettings settings;
    settings.precision = ElementType::f32;
    settings.properties = runtime_->traits().as_written;
    for (const TensorId id : model_.graph.inputs) {
      const std::string& name = model_.graph.tensor(id).name;
      if (const auto value = first.find(name); value != first.end() && value->second)
        settings.input_shapes[name] = value->second->shape;
    }
    session_ = runtime_->open(file, &model_.graph, settings);
  }

  /// Adds what it gives to `values`, out of which it takes its inputs.
  void run(NamedValues& values) {
    std::vector<HostTensor> inputs;
    for (const Port& port : session_->inputs()) {
      const SharedTensor value = values.at(port.name);
      inputs.push_back(hands_on_as(value->type, port.type) ? *in_type(value, port.type) : *value);
      inputs.back().name = port.name;
    }
    session_->set_inputs(inputs);
    session_->run();
    for (HostTensor& output : session_->outputs_of_last_run()) {
      const std::string name = output.name;
      values[name] = std::make_shared<const HostTensor>(std::move(output));
    }
  }

 private:
  OnnxModel model_;
  std::unique_ptr<Runtime> runtime_;  ///< before the session: destroyed after it
  std::unique_ptr<Session> session_;
};

/// What a runtime says of a file of takt's own is said of the model that it was made of.
template <typename Work>
void naming(const fs::path& model, const fs::path& file, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    const auto rest = without_start(error.what(), file.string());
    if (rest == error.what()) throw;
    throw Error(error.kind(), printable(model.string()) + std::string(rest));
  }
}

bool has_other_shapes(const NamedValues& one, const NamedValues& other) {
  return std::any_of(one.begin(), one.end(), [&](const auto& named) {
    const auto found = other.find(named.first);
    return found == other.end() || found->second->shape != named.second->shape;
  });
}

std::string operator_that_draws(const Graph& graph) {
  for (const Op& op : graph.ops) {
    // Without its third input Dropout hands on what it gets.
    if (op.type == "Dropout" && (op.inputs.size() < 3 || op.inputs[2] == no_tensor)) continue;
    if (draws_random_numbers(op)) return fmt::format("{} '{}'", op.type, printable(op.name));
    for (const auto& [name, body] : op.subgraphs)
      if (auto inside = operator_that_draws(*body); !inside.empty()) return inside;
  }
  return {};
}

bool has_no_numbers(const HostTensor& tensor) {
  const std::size_t count = count_of(tensor);
  if (!is_float(tensor.type) || count == 0) return false;
  for (std::size_t i = 0; i < count; ++i)
    if (std::isfinite(*value_at(tensor, i))) return false;
  return true;
}

}  // namespace

/// The model parted at cuts, on the host.
class ModelReference::Pieces {
 public:
  Pieces(const ModelReference& of, const std::vector<Cut>& cuts)
      : of_(of), pieces_(pieces_of(of.graph_, cuts)), folder_("takt-plan-") {}

  /// Each run in `runs` goes through all pieces, with `change` applied to what a piece is given. `see` is called with
  /// the values that are there after a piece, by the number of the run.
  template <typename Change, typename See>
  void run(std::vector<NamedValues>& runs, const Change& change, const See& see) {
    const auto last = last_readers();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      const fs::path file = write_piece_models(of_.model_, of_.graph_, {pieces_[p]}, folder_.path()).front();
      HostModel piece(file, of_.runtime_, runs.front());
      for (std::size_t r = 0; r < runs.size(); ++r) {
        NamedValues given;
        for (const std::string& name : names(pieces_[p].inputs)) given[name] = change(runs[r].at(name), r);
        piece.run(given);
        for (const std::string& name : names(pieces_[p].outputs)) {
          see(name, given.at(name), r);
          runs[r][name] = given.at(name);
        }
        std::erase_if(runs[r], [&](const auto& named) {
          const auto reader = last.find(named.first);
          return reader == last.end() || reader->second <= p;
        });
      }
    }
  }

 private:
  std::vector<std::string> names(const std::vector<TensorId>& ids) const {
    std::vector<std::string> list;
    for (const TensorId id : ids) list.push_back(of_.graph_.tensor(id).name);
    return list;
  }

  std::map<std::string, std::size_t> last_readers() const {
    std::map<std::string, std::size_t> last;
    for (std::size_t p = 0; p < pieces_.size(); ++p)
      for (const std::string& name : names(pieces_[p].inputs)) last[name] = p;
    return last;
  }

  const ModelReference& of_;
  std::vector<Piece> pieces_;
  TemporaryFolder folder_;
};

ModelReference::ModelReference(const ReferenceModel& of, const std::vector<NamedValues>& inputs)
    : model_(*of.model),
      graph_(*of.graph),
      cuts_(of.cuts),
      runtime_(of.runtime),
      seed_(of.seed),
      rounding_(coarseness_of(*of.graph)),
      drawing_(operator_that_draws(*of.graph)) {
  if (auto plain = in_float32(model_)) {
    model_ = std::move(*plain);
    graph_ = model_.graph;
    take_shapes(*of.graph, graph_);
  }
  // The places are the same in both graphs, the numbers of tensors need not be.
  for (Cut& cut : cuts_) {
    for (TensorId& id : cut.tensors)
      if (const auto found = graph_.find_tensor(of.graph->tensor(id).name)) id = *found;
    cut.late_inputs.clear(), cut.early_outputs.clear();
  }
  run_whole(inputs);
  check_pieces();
}

ModelReference::~ModelReference() = default;

void ModelReference::run_whole(std::vector<NamedValues> inputs) {
  for (NamedValues& values : inputs)
    for (auto& [name, value] : values)
      if (coarseness_of(value->type) != Coarseness::float32) value = in_type(value, ElementType::f32);
  const TemporaryFolder folder("takt-plan-");
  Piece whole = pieces_of(graph_, {}).front();
  for (const Cut& cut : cuts_)
    for (const TensorId id : cut.tensors)
      if (std::find(whole.outputs.begin(), whole.outputs.end(), id) == whole.outputs.end()) whole.outputs.push_back(id);
  const fs::path file = write_piece_models(model_, graph_, {whole}, folder.path()).front();
  naming(model_.graph.path, file, [&] {
    HostModel host(file, runtime_, inputs.front());
    runs_.push_back(inputs.front());
    host.run(runs_.back());
    if (!drawing_.empty()) {
      NamedValues again = inputs.front();
      host.run(again);
      for (const auto& [name, value] : again)
        if (distance_of(*runs_.front().at(name), *value).share > 0) drawn_.insert(name);
    }
    for (std::size_t i = 1; i < inputs.size(); ++i) try {
        NamedValues other = inputs[i];
        host.run(other);
        if (!has_other_shapes(runs_.front(), other)) runs_.push_back(std::move(other));
      } catch (const Error&) {  // a model need not take every value
      }
  });
}

void ModelReference::check_pieces() const {
  if (cuts_.empty()) return;
  std::vector<NamedValues> runs{runs_.front()};
  std::map<std::string, TensorDistance> off;
  Pieces(*this, cuts_)
      .run(
          runs, [](const SharedTensor& value, std::size_t) { return value; },
          [&](const std::string& name, const SharedTensor& value, std::size_t) {
            off[name] = distance_of(*runs_.front().at(name), *value, integers_of(rounding_));
          });
  for (const auto& [name, distance] : off) {
    if (distance.share <= of_one_runtime || why_untold(name)) continue;
    if (distance.share <= 4 * effect_on(name, rounding_)) continue;
    throw Error(ErrorKind::runtime, fmt::format("{}: its pieces compute different values than the whole model: {}; cut "
                                                "it elsewhere with another number of --pieces",
                                                printable(model_.graph.path.string()), distance.what));
  }
}

std::map<std::string, double> ModelReference::effects_of(Coarseness rounding) const {
  std::vector<NamedValues> runs;
  std::vector<Random> random;
  for (std::uint64_t tried = 0; tried < roundings_tried; ++tried)
    for (const NamedValues& values : runs_) runs.push_back(values), random.emplace_back(seed_ + runs.size());
  std::map<std::string, double> effects;
  const auto change = [&](const SharedTensor& value, std::size_t run) {
    return rounded_otherwise(value, rounding, random[run]);
  };
  Pieces(*this, finer_cuts(graph_, cuts_))
      .run(runs, change, [&](const std::string& name, const SharedTensor& value, std::size_t run) {
        const NamedValues& right = runs_[run % runs_.size()];
        const auto expected = right.find(name);
        if (expected == right.end()) return;
        effects[name] = std::max(effects[name], distance_of(*expected->second, *value, integers_of(rounding_)).share);
      });
  return effects;
}

double ModelReference::effect_on(const std::string& tensor, Coarseness rounding) const {
  const std::lock_guard lock(mutex_);
  auto known = effects_.find(rounding);
  if (known == effects_.end()) known = effects_.emplace(rounding, effects_of(rounding)).first;
  const auto found = known->second.find(tensor);
  return found == known->second.end() ? 0 : found->second;
}

std::optional<std::string> ModelReference::why_untold(const std::string& tensor) const {
  if (drawn_.contains(tensor))
    return fmt::format("the model generates random numbers for '{}' ({})", printable(tensor), drawing_);
  const auto found = runs_.front().find(tensor);
  if (found != runs_.front().end() && has_no_numbers(*found->second))
    return fmt::format(
        "the model itself yields only NaN or infinity for '{}' on these inputs; give others with --input",
        printable(tensor));
  return std::nullopt;
}

}  // namespace takt
