// What every inference runtime offers takt: open a model, run it, say which operators took how long.
//
// Implementations live in `sim/`, `onnxruntime/` and `openvino/`; the headers of a foreign SDK are included nowhere
// else. Foreign exceptions are translated at that boundary into Error, naming runtime, model and node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/basics/units.h"
#include "model/graph/graph.h"

namespace takt {

/// Settings of a runtime that change speed and not results, by takt's names: {"spinning", "off"}. Runtime::tunings()
/// lists what a runtime understands.
using Tuning = std::map<std::string, std::string>;

/// What a session is to be good at: each inference soon, or many in a second.
enum class Hint { latency, throughput };
std::string_view hint_name(Hint hint);

/// The runtime's own settings by the runtime's own names, as text: {"INFERENCE_NUM_THREADS", "2"}.
using Properties = std::map<std::string, std::string>;

struct SessionSettings {
  std::string device = "CPU";                 ///< "CPU", "GPU", "NPU" or "sim:NAME"
  std::optional<int> threads;                 ///< intra-operator threads; unset: the runtime's own default
  bool profile_ops = false;                   ///< record operator times; Session::last_ops needs it
  std::map<std::string, Shape> input_shapes;  ///< concrete shapes for dynamic inputs, by input name
  std::uint64_t seed = 1;                     ///< for simulated noise
  bool virtual_clock = false;  ///< sim: does not spend the times that it reports, unless its description asks for that
  std::filesystem::path device_description;  ///< sim: YAML file; empty: built-in or NAME.yaml
  std::optional<ElementType> precision;      ///< compute in this type; unset: the device's own default
  std::filesystem::path cache;               ///< folder that keeps compiled models; empty: none
  std::filesystem::path optimised_model;     ///< where to write the optimised model; empty: nowhere
  std::filesystem::path executed_graph;      ///< where to write the graph that is executed; empty: nowhere
  std::optional<std::size_t> free_axis;      ///< where input_shapes may differ from the model, see Runtime::reshapes
  bool all_tensors = false;                  ///< every tensor is an output; a runtime that cannot shows the usual ones
  bool keep_state = false;                   ///< variables go on from run to run until Session::reset_state()
  bool only_tensors = false;                 ///< outputs that are sequences or maps are left out, not refused
  Tuning tuning;
  std::optional<Hint> hint;     ///< unset: one inference at a time, on all that the device has
  std::optional<int> streams;   ///< parts of the device that compute at once; unset: the runtime's choice
  std::optional<int> requests;  ///< that will be in flight at once, for the runtime's choice of streams
  Properties properties;        ///< set last, so that they win over everything above
  std::vector<std::filesystem::path> custom_ops;  ///< of Runtime::add_custom_ops, which fills it in
};

/// How a session divides its device among requests that are in flight at once.
struct Concurrency {
  int requests = 1;                 ///< in flight that keep the device busy
  std::optional<int> streams = {};  ///< requests that compute at once; the others wait for one
  std::optional<int> threads = {};  ///< that compute, of all streams together
};

/// What a runtime tells of a node that it executes, an operator or a fused kernel: the same in every execution.
struct ExecutedNode {
  std::string name;       ///< the runtime's node name; in the body of a control flow operator "If_0 > conv"
  std::string type;       ///< the model's own operator type where known, else the runtime's
  std::string kernel;     ///< implementation: "jit_avx512_FP32", "FusedConv"; empty if not told
  std::string node_type;  ///< the runtime's own word for what the node does: "Reorder"; empty if not told
  std::optional<ElementType> computed_in;  ///< type of the numbers that the kernel works with; nullopt: not told
  std::string provider;  ///< the part of the runtime that ran it: "CPUExecutionProvider"; empty if not told
  std::vector<std::string> model_ops;  ///< paths (model/graph/placed_ops.h) of the model's operators that it stands for
  std::string leader;                  ///< that of `model_ops` which it is named after; empty: not told
  bool is_settled =
      false;  ///< operators that no sample names were computed beforehand: nobody need guess where they are
  std::vector<std::string> inputs, outputs;        ///< tensor names, where known
  std::vector<Shape> input_shapes, output_shapes;  ///< where the runtime tells; empty otherwise
};

/// One execution of a node in one inference. Kept for every one, of a loop's body by the million, so it holds no text.
struct OpSample {
  std::shared_ptr<const ExecutedNode> node;  ///< never null; executions of a node share one
  Nanoseconds start{};                       ///< from the start of the inference's timed call (same steady clock)
  Nanoseconds duration{};
  Nanoseconds inside{};  ///< of `duration`, what operators of its own body took; they have samples of their own
  bool in_body = false;  ///< of the operator before it that has a body

  /// What it took itself: these add up over the samples of an inference, each moment counted once.
  Nanoseconds self() const { return duration - inside; }
};

/// Sums over the operators of one inference.
struct OpTotals {
  Nanoseconds all{};
  Nanoseconds moving{};  ///< the part of it in nodes that move data instead of computing
};

/// Whether operators of this type only bring data in, out or into another layout or type. In any case of letters.
bool moves_data(std::string_view type);

/// What its elements take, texts of strings included.
std::int64_t held_bytes(const HostTensor& tensor);

/// The outputs of an inference, for whoever takes them.
struct TakenOutputs {
  std::vector<SharedTensor> values;  ///< by number of the port
  std::int64_t copied_bytes = 0;     ///< of those that could not be left where they lay
};

/// One in-flight inference. Not thread-safe; destroy before its Session.
class Request {
 public:
  virtual ~Request() = default;
  /// The number of the batch that the next inference is for, before its inputs are set. Models do not care.
  virtual void set_batch(std::int64_t batch) { static_cast<void>(batch); }
  /// The value of the session's input number `port` for the inferences to come, instead of the one that the session had
  /// when the request was made. It is not copied: the request keeps it and the runtime reads it where it lies. Not
  /// while an inference runs. Returns the bytes that the runtime could not read where they lay, so that they were
  /// copied. Throws Error(bad_input) for another type, rank or size.
  virtual std::int64_t set_input(std::size_t port, SharedTensor value) = 0;
  /// Lets go what set_input() was given; its inputs have again what they had before. Not while an inference runs, and
  /// after its outputs were taken.
  virtual void restore_inputs() {}
  /// Memory that the next inference writes output number `port` to, which then surely has this shape: its size, aligned
  /// as its elements, and read by nobody. take_outputs() hands it on. A runtime that cannot ignores it. Not while an
  /// inference runs.
  virtual void set_output(std::size_t port, const Shape& shape, std::shared_ptr<std::byte> memory) {
    static_cast<void>(port), static_cast<void>(shape), static_cast<void>(memory);
  }
  /// Starts; `done` is called once from the runtime's thread with the completion time and, on failure, a message.
  virtual void start_async(std::function<void(Nanoseconds completed, std::optional<std::string> error)> done) = 0;
  /// Whether `done` is called on a thread that serves this request alone; else it is one of the runtime's, which other
  /// requests may wait for.
  virtual bool completes_on_own_thread() const { return true; }
  /// Blocks until finished. Throws Error(runtime) if the inference failed.
  virtual void wait() = 0;
  /// Outputs of its last inference, copied. From within `done` on, until the next start.
  virtual std::vector<HostTensor> outputs() = 0;
  /// The outputs of its last inference, once, in the memory that they were written to: later inferences write
  /// elsewhere, and the values outlive request and session. From within `done` on, until the next start. Throws as
  /// outputs() does.
  virtual TakenOutputs take_outputs();
  /// As Session::last_ops(), of its own last inference. From within `done` on, until the next start.
  virtual std::optional<std::vector<OpSample>> last_ops() { return std::nullopt; }
  /// The sums over last_ops(), for who needs no more: a runtime may have them for less.
  virtual std::optional<OpTotals> last_totals();
};

/// The first operators of a session's model with the session's inputs, to be timed without records. Not thread-safe;
/// destroy before its Session.
class Head {
 public:
  virtual ~Head() = default;
  /// One inference; wall time of the call as of Session::run(). Throws Error(runtime).
  virtual Nanoseconds run() = 0;
};

/// Where the time to open a session went, as far as the runtime tells.
struct StartUp {
  std::optional<Nanoseconds> read = {};     ///< the file; missing: done within `compile`
  std::optional<Nanoseconds> compile = {};  ///< optimise, make ready for the device
  std::optional<bool> from_cache = {};      ///< missing: no cache was asked for
};

/// A loaded model, ready to run. Not thread-safe; destroy before its Runtime.
class Session {
 public:
  virtual ~Session() = default;
  virtual const std::vector<Port>& inputs() const = 0;
  /// After the first run(), what the model declares to be of another size than it came with is open.
  virtual const std::vector<Port>& outputs() const = 0;
  /// What really runs it: "CPU", "GPU.0", "sim:NPU".
  virtual std::string device() const = 0;
  /// Sets all inputs (copied; by name). Throws Error(bad_input) for a wrong name, type, rank or size.
  virtual void set_inputs(const std::vector<HostTensor>& inputs) = 0;
  /// One inference. Returns wall time of the call: between its two clock reads there is the runtime's call and nothing
  /// else. Throws Error(runtime).
  virtual Nanoseconds run() = 0;
  /// Empties what the model keeps from run to run. False: it keeps nothing.
  virtual bool reset_state() { return false; }
  /// Times of the last run() per executed operator, in order of execution; nullopt when not opened with profile_ops or
  /// the runtime cannot tell. May cost time, so it is called outside of measured spans.
  virtual std::optional<std::vector<OpSample>> last_ops() = 0;
  /// Operator times of all runs since opening, oldest first, for runtimes that write them only at the end (ONNX
  /// Runtime). Default: nullopt, use last_ops(). Ends profiling: call once, after the last run().
  virtual std::optional<std::vector<std::vector<OpSample>>> all_ops() { return std::nullopt; }
  /// True: operator times are those of the device's own clock, which recording on the host does not lengthen; what the
  /// device waited for is in no operator. After all_ops().
  virtual bool times_by_device() const { return false; }
  /// Returns a model of the `operators` operators that ran first in the recorded inferences; those in bodies are not
  /// counted. Call it after the last run of a session that was opened with profile_ops. nullptr: the runtime cannot run
  /// a part of a model.
  virtual std::unique_ptr<Head> head(std::size_t operators) {
    static_cast<void>(operators);
    return nullptr;
  }
  /// Outputs of the last run, copied.
  virtual std::vector<HostTensor> outputs_of_last_run() = 0;
  /// Copies the outputs to takt's memory and returns the time that it took.
  virtual Nanoseconds copy_outputs();
  virtual std::unique_ptr<Request> make_request() = 0;
  /// nullopt: every request computes at once with the others (Runtime::has_streams), or the runtime does not tell.
  virtual std::optional<Concurrency> concurrency() { return std::nullopt; }
  virtual StartUp start_up() const { return {}; }
  /// False: times are those of a simulated clock, and what the system tells of this process does not explain them.
  virtual bool keeps_real_time() const { return true; }
  /// The type that most of its heavy kernels compute in, as they say themselves; nullopt: the runtime does not tell.
  virtual std::optional<ElementType> precision() const { return std::nullopt; }
  /// What a reader of this session's figures has to know: one sentence each (a missing node name, a
  /// precision that differs from the model's). Empty when nothing is special.
  virtual std::vector<std::string> notes() { return {}; }
  /// How exact the runtime's operator times are, in a sentence that holds for every model; empty: nothing to know, or
  /// this session times no operators.
  virtual std::string clock_note() const { return ""; }
};

/// Whether sessions with these settings could read their weights from a file of their own: on the CPU, where no file is
/// written and none of a cache is read.
bool could_share_weights(const SessionSettings& settings);

/// Two sessions of one model that are open at once (Runtime::open_pair).
struct SessionPair {
  std::unique_ptr<Session> plain, profiled;
  Nanoseconds profiled_load{};  ///< what of the time was for `profiled`
};

/// Whether a device can be used from this binary, here.
struct DeviceStatus {
  std::string device;                 ///< as typed after --device
  std::string description;            ///< model name, e.g. "AMD EPYC"
  std::optional<std::string> reason;  ///< why it cannot be used; nullopt: usable
};

/// What a runtime can do and how it works, for whoever uses one without knowing which.
struct RuntimeTraits {
  bool is_simulated = false;    ///< times follow a description, and nothing is computed that could fail
  bool shares_threads = false;  ///< all sessions of a process compute on the same threads: none can be pinned alone
  bool has_streams = false;     ///< it splits the device among the requests in flight, as SessionSettings ask
  bool times_requests = false;  ///< requests of sessions with profile_ops report last_ops() and last_totals();
                                ///< elsewhere recording would cost time and memory, and no one could read it
  bool reshapes = false;        ///< it opens a model with another size along one axis of its inputs than the file's
  bool uses_ir = false;      ///< OpenVINO's IR is its own format: convert() writes it, stages are given to it as such
  bool saves_graph = false;  ///< SessionSettings::optimised_model: it writes the graph that it executes, with weights
  bool reads_other_formats = false;       ///< models of TensorFlow and PaddlePaddle, besides ONNX and its own
  std::vector<ElementType> precisions{};  ///< that SessionSettings::precision may ask for, besides the model's own
  Properties subnormals_as_zero{};  ///< with which it computes with zeros; empty: subnormal numbers cost it nothing
  Properties as_written{};          ///< with which a session executes the operators of the file, one by one
};

class Runtime {
 public:
  virtual ~Runtime() = default;
  virtual std::string_view name() const = 0;  ///< as typed after --runtime
  virtual std::string version() const = 0;
  virtual std::vector<DeviceStatus> devices() = 0;
  virtual RuntimeTraits traits() const { return {}; }
  /// Operators out of a library that was built for this runtime, for the models that are opened from now on. Throws
  /// Error(bad_input) that names the file: there is none, it is no library, or none for this runtime;
  /// Error(unsupported) where a runtime has no such libraries.
  virtual void add_custom_ops(const std::filesystem::path& library);
  /// Opens a model file. `graph` is takt's own reading of it (may be null: IR). Throws Error(bad_input, unsupported,
  /// runtime) with one sentence that names file and cause.
  virtual std::unique_ptr<Session> open(const std::filesystem::path& model, const Graph* graph,
                                        const SessionSettings& settings) = 0;
  /// True: open_pair() may give something for these settings.
  virtual bool shares_weights(const SessionSettings& settings) const {
    static_cast<void>(settings);
    return false;
  }
  /// A session as open() gives it for `settings`, and one with profile_ops, in less memory than two calls of open():
  /// both read weights where they lie in a mapped file. Kernels and values are the same. nullopt: not of this runtime,
  /// model or settings. Throws as open().
  virtual std::optional<SessionPair> open_pair(const std::filesystem::path& model, const Graph* graph,
                                               const SessionSettings& settings) {
    static_cast<void>(model), static_cast<void>(graph), static_cast<void>(settings);
    return std::nullopt;
  }
  /// The model's operators and tensors, of a file that takt does not read itself (OpenVINO's IR); nullopt when this
  /// runtime cannot tell. With `input_shapes`, by input name, shapes are those of such a run. Throws Error(bad_input).
  virtual std::optional<Graph> read_graph(const std::filesystem::path& model,
                                          const std::map<std::string, Shape>& input_shapes) {
    static_cast<void>(model), static_cast<void>(input_shapes);
    return std::nullopt;
  }
  /// Writes an ONNX model as this runtime's own format: OpenVINO's IR, `to` ending in .xml and weights beside it in a
  /// .bin, each file whole or not at all. The device is not needed. False: it has no format of its own, nothing is
  /// written. Throws Error(bad_input, unsupported, io).
  virtual bool convert(const std::filesystem::path& model, const std::filesystem::path& to) {
    static_cast<void>(model), static_cast<void>(to);
    return false;
  }
  /// Writes the graph that it executes of a model, as an ONNX file without the values of its large weights: for who
  /// wants to know what is executed, without opening a session. `to` lies in a folder of its own, which gets other
  /// files, too. False: it cannot, nothing is written. Throws as open().
  virtual bool save_structure(const std::filesystem::path& model, const Graph& graph, const SessionSettings& settings,
                              const std::filesystem::path& to) {
    static_cast<void>(model), static_cast<void>(graph), static_cast<void>(settings), static_cast<void>(to);
    return false;
  }
  /// Settings worth trying on this runtime, one change each.
  virtual std::vector<Tuning> tunings() { return {}; }
  /// `graph`, the model's own, with the shapes that its tensors have in one inference with these inputs: those that
  /// depend on values, too, and those in bodies. nullopt: this runtime cannot tell. Throws Error.
  virtual std::optional<Graph> with_executed_shapes(const std::filesystem::path& model, const Graph& graph,
                                                    const SessionSettings& settings,
                                                    const std::vector<HostTensor>& inputs) {
    static_cast<void>(model), static_cast<void>(graph), static_cast<void>(settings), static_cast<void>(inputs);
    return std::nullopt;
  }
  /// What takt's names for threads and a tuning stand for in the runtime's own: for one's own program.
  virtual Properties properties_of(std::optional<int> threads, const Tuning& tuning) {
    static_cast<void>(threads), static_cast<void>(tuning);
    return {};
  }
  /// Shapes of tensors of the model by name, given concrete input shapes; nullopt when this runtime cannot tell.
  virtual std::optional<std::map<std::string, PartialShape>> infer_shapes(
      const std::filesystem::path& model, const std::map<std::string, Shape>& input_shapes) = 0;
};

/// Names of the runtimes in this binary, and of those that were left out at configure time.
std::vector<std::string> runtime_names();
std::vector<std::string> missing_runtime_names();
/// Throws Error(unsupported) naming the nearest spelling, or the configure option when left out.
std::unique_ptr<Runtime> make_runtime(std::string_view name);
/// Of a runtime of this binary, without making one. Throws as make_runtime().
RuntimeTraits traits_of(std::string_view name);
/// The first runtime of this binary that has the trait; empty: none has.
std::string runtime_that(bool RuntimeTraits::*trait);

/// Whether a runtime, of this binary or left out of it, opens files of this name: "cat.onnx", "cat.xml".
bool is_model_file(const std::filesystem::path& model);

struct RuntimeChoice {
  std::string name;
  std::string why;  ///< "for .onnx files"
};
/// The runtime for a model and a real device when nobody asked for one: that whose own format the file is, else one of
/// this binary that reads it too. Where none does, make_runtime() says what is missing.
RuntimeChoice runtime_for(const std::filesystem::path& model);
/// Real runtimes of this binary that read the model's file, that of runtime_for() first.
std::vector<std::string> runtimes_reading(const std::filesystem::path& model);

}  // namespace takt
