#include "training/diagnosis/made_training.h"

#include <algorithm>

#include "base/statistics/random.h"

namespace takt {
namespace {

class Maker {
 public:
  explicit Maker(const MadeTraining& made) : made_(made), random_(made.seed * 7919 + 17) {
    const ProcessId program = trace_.add_process("python", 4000), device = trace_.add_process("GPU 0", 5000);
    loop_ = trace_.add_row(program, "main", 4000);
    backward_ = trace_.add_row(program, "autograd", 4001);
    if (made.has_device) {
      stream_ = trace_.add_row(device, "stream 7", 7);
      network_ = trace_.add_row(device, "stream 20", 20);
    }
    trace_.set_property("deviceProperties", made.has_device ? R"([{"id":0,"name":"made"}])" : "[]");
    if (made.tells_ranks) trace_.set_property("distributedInfo", R"({"rank":0,"world_size":2})");
  }

  Trace make() {
    for (int step = 0; step < made_.steps; ++step) {
      const std::int64_t start = host_;
      step_scale_ = is(TrainingCause::rising_step_time) && step >= made_.steps / 2 ? (is_strong() ? 2.0 : 1.3) : 1;
      made_.has_device ? device_step() : host_step();
      add(loop_, "ProfilerStep#" + std::to_string(step + 3), "user_annotation", start, host_ - start);
    }
    return std::move(trace_);
  }

 private:
  bool is(TrainingCause cause) const { return made_.cause == cause; }
  bool is_strong() const { return made_.strength == Strength::strong; }
  /// About so many microseconds, as nanoseconds: 4 % more or less.
  std::int64_t about(double micros) {
    const double jitter = std::clamp(1 + 0.04 * standard_normal(random_), 0.85, 1.15);
    return static_cast<std::int64_t>(micros * 1000 * jitter * made_.time_scale);
  }
  EventId add(RowId row, const std::string& name, const std::string& category, std::int64_t start,
              std::int64_t length) {
    return trace_.add_event(row, name, category, Nanoseconds(start), Nanoseconds(length));
  }

  void wait_for_data() {
    const bool starves = is(TrainingCause::data_starvation);
    const std::int64_t wait = about(starves ? (is_strong() ? 18000 : 5000) : made_.has_device ? 150 : 400);
    // In new versions of PyTorch the tag is that of an annotation.
    add(loop_, "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
        made_.seed % 2 == 0 ? "user_annotation" : "cpu_op", host_, wait);
    host_ += wait + about(5);
  }

  std::int64_t call(RowId row, const std::string& name, std::int64_t length) {
    const EventId event = add(row, name, "cuda_runtime", host_, length);
    trace_.set_args(event, TraceValues{{"correlation", ++correlation_}});
    host_ += length;
    return correlation_;
  }

  void work(RowId row, const std::string& name, const std::string& category, std::int64_t length,
            std::int64_t correlation, std::optional<double> blocks = {}) {
    std::int64_t& clock = row == network_ ? network_clock_ : device_;
    const std::int64_t start = std::max(clock, host_ + 1500);
    const EventId event = add(row, name, category, start, length);
    TraceValues values{{"device", std::int64_t{0}}, {"correlation", correlation}};
    if (blocks) values.emplace_back("blocks per SM", *blocks);
    trace_.set_args(event, values);
    clock = start + length;
  }

  void kernel(RowId row, const std::string& name, double micros, double price = 10) {
    const std::int64_t start = host_;
    host_ += about(price * 0.3);
    const std::int64_t correlation = call(row, "cudaLaunchKernel", about(price * 0.4));
    const bool is_small = is(TrainingCause::small_batch);
    const double blocks = is_small ? (is_strong() ? 0.08 : 0.3) : 4 + uniform(random_);
    work(stream_, name + "_kernel", "kernel",
         static_cast<std::int64_t>(static_cast<double>(about(micros)) * step_scale_), correlation, blocks);
    host_ += about(price * 0.1);
    add(row, "aten::" + name, "cpu_op", start, host_ - start);
    host_ += about(price * 0.2);
  }

  void synchronise(const std::string& name) {
    const std::int64_t start = host_, end = std::max({host_ + 2000, device_, network_clock_});
    const EventId event = add(loop_, name, "cuda_runtime", start, end - start);
    trace_.set_args(event, TraceValues{{"correlation", ++correlation_}});
    host_ = end + about(3);
  }

  void read_value() {
    const std::int64_t start = host_;
    const std::int64_t correlation = call(loop_, "cudaMemcpyAsync", about(4));
    work(stream_, "Memcpy DtoH (Device -> Pageable)", "gpu_memcpy", about(1.2), correlation);
    synchronise("cudaStreamSynchronize");
    add(loop_, "aten::item", "cpu_op", start, host_ - start);
    add(loop_, "aten::_local_scalar_dense", "cpu_op", start + 500, host_ - start - 1000);
  }

  void device_step() {
    wait_for_data();
    copy_batch();
    const int layers = 12;
    for (int i = 0; i < layers; ++i) {
      kernel(loop_, "conv" + std::to_string(i % 4), 180);
      kernel(loop_, "relu", 90);
      disturb(i, layers);
    }
    kernel(loop_, "loss", 60);
    for (int i = 0; i < layers; ++i) {
      kernel(backward_, "ReluBackward0", 90);
      kernel(backward_, "ConvBackward" + std::to_string(i % 4), 360);
    }
    communicate();
    kernel(loop_, "adamw", 200);
    read_value();
  }

  void copy_batch() {
    const bool is_planted = is(TrainingCause::exposed_copy);
    const std::int64_t correlation = call(loop_, "cudaMemcpyAsync", about(6));
    work(stream_, is_planted ? "Memcpy HtoD (Pageable -> Device)" : "Memcpy HtoD (Pinned -> Device)", "gpu_memcpy",
         about(is_planted ? (is_strong() ? 16000 : 2500) : 120), correlation);
    if (is_planted) synchronise("cudaStreamSynchronize");
  }

  void communicate() {
    if (!made_.tells_ranks && !is(TrainingCause::exposed_communication)) return;
    const std::int64_t start = host_;
    const std::int64_t correlation = call(backward_, "cudaLaunchKernelExC", about(6));
    add(backward_, "nccl:all_reduce", "user_annotation", start, host_ - start);
    const bool is_planted = is(TrainingCause::exposed_communication);
    if (is_planted) network_clock_ = std::max(network_clock_, device_);
    const double micros = is_planted ? (is_strong() ? 14000 : 2500) : 300;
    work(network_, "ncclDevKernel_AllReduce_Sum_f32", "kernel", about(micros), correlation);
    if (is_planted) device_ = std::max(device_, network_clock_);
  }

  /// What is planted among the layers.
  void disturb(int layer, int layers) {
    if (is(TrainingCause::host_synchronisation)) {
      const int reads = is_strong() ? 4 : 1;
      for (int i = 0; i < reads; ++i) {
        read_value();
        host_ += about(is_strong() ? 150 : 110);
        kernel(loop_, "where", 20);
      }
    }
    if (is(TrainingCause::tiny_kernels)) {
      const int chain = (is_strong() ? 6000 : 900) / layers;
      for (int i = 0; i < chain; ++i) kernel(loop_, i % 2 == 0 ? "mul" : "add", 2.2, 11);
    }
    if (is(TrainingCause::allocator_churn) && layer % 2 == 0) {
      const int blocks = is_strong() ? 16 : 3;
      for (int i = 0; i < blocks; ++i) {
        call(loop_, "cudaMalloc", about(220));
        call(loop_, "cudaFree", about(260));
        device_ = std::max(device_, host_);  // freeing waits for the device, and the device for the program
      }
    }
  }

  void operate(const std::string& name, double micros) {
    const auto length = static_cast<std::int64_t>(static_cast<double>(about(micros)) * step_scale_);
    const std::int64_t inner = std::max<std::int64_t>(500, length * 9 / 10);
    add(loop_, "aten::" + name, "cpu_op", host_, length);
    if (length > 2000) add(loop_, "aten::" + name + "_out", "cpu_op", host_ + 200, inner - 400);
    host_ += length + about(0.8);
  }

  void take_memory(std::int64_t bytes) {
    held_ += bytes;
    const EventId moment = add(loop_, "[memory]", "cpu_instant_event", host_, 0);
    trace_.mark_instant(moment, InstantScope::row);
    trace_.set_args(moment,
                    TraceValues{{"Bytes", bytes}, {"Total Allocated", held_}, {"Device Type", std::int64_t{0}}});
    host_ += 300;
  }

  void host_step() {
    wait_for_data();
    const int layers = 8;
    for (int i = 0; i < layers; ++i) {
      take_memory(4 << 20);
      operate("conv" + std::to_string(i % 4), 1200);
      operate("relu", 150);
      if (is(TrainingCause::host_synchronisation)) {
        for (int read = 0; read < (is_strong() ? 10 : 1); ++read) operate("item", 3);
      }
      if (is(TrainingCause::tiny_kernels)) {
        for (int k = 0; k < (is_strong() ? 2000 : 1000); ++k)
          operate(k % 2 == 0 ? "mul" : "add", 3 + 2 * uniform(random_));
      }
      if (is(TrainingCause::allocator_churn)) {
        for (int k = 0; k < (is_strong() ? 300 : 60); ++k) {
          take_memory(8 << 20);
          operate("zero_", 60);
          take_memory(-(8 << 20));
        }
      }
    }
    for (int i = 0; i < layers; ++i) {
      operate("ConvBackward" + std::to_string(i % 4), 2400);
      take_memory(-(4 << 20));
    }
    operate("adamw", 300);
  }

  MadeTraining made_;
  Random random_;
  Trace trace_;
  RowId loop_{}, backward_{}, stream_{UINT32_MAX}, network_{UINT32_MAX - 1};
  std::int64_t host_ = 1'000'000, device_ = 0, network_clock_ = 0, correlation_ = 0, held_ = 0;
  double step_scale_ = 1;
};

}  // namespace

Trace made_training(const MadeTraining& made) { return Maker(made).make(); }

Trace without(const Trace& trace, const std::function<bool(const Trace&, const TraceEvent&)>& drops) {
  Trace copy;
  for (const TraceProperty& property : trace.properties()) copy.set_property(property.key, property.json);
  for (const TraceProcess& process : trace.processes()) copy.add_process(process.name, process.pid);
  for (const TraceRow& row : trace.rows()) copy.add_row(row.process, row.name, row.tid);
  std::vector<TraceArg> args;
  for (const TraceEvent& event : trace.events()) {
    if (drops(trace, event)) continue;
    const EventId id = copy.add_event(event.row, trace.text(event.name), trace.text(event.category),
                                      Nanoseconds(event.start_ns), Nanoseconds(event.duration_ns));
    args.clear();
    for (TraceArg arg : trace.args(event)) {
      arg.key = copy.intern(trace.text(arg.key));
      if (auto* text = std::get_if<StringId>(&arg.value)) *text = copy.intern(trace.text(*text));
      if (auto* json = std::get_if<TraceJson>(&arg.value)) json->text = copy.intern(trace.text(json->text));
      args.push_back(arg);
    }
    if (!args.empty()) copy.set_args(id, std::span<const TraceArg>(args));
  }
  return copy;
}

Trace without_names(const Trace& trace, const std::string& part) {
  return without(trace, [&](const Trace& t, const TraceEvent& event) {
    return t.text(event.name).find(part) != std::string::npos;
  });
}

Trace without_argument(const Trace& trace, const std::string& key) {
  Trace copy = without(trace, [](const Trace&, const TraceEvent&) { return false; });
  std::vector<TraceArg> args;
  for (std::size_t i = 0; i < copy.events().size(); ++i) {
    args.clear();
    bool is_there = false;
    for (const TraceArg arg : copy.args(copy.events()[i])) {
      if (copy.text(arg.key) == key)
        is_there = true;
      else
        args.push_back(arg);
    }
    if (is_there) copy.set_args(static_cast<EventId>(i), std::span<const TraceArg>(args));
  }
  return copy;
}

}  // namespace takt
