// The rules by which batches move through a streaming pipeline, as one pure state machine: it is told what happened and
// answers what must happen now. It has no clock, no threads and no service times, so the same rules serve the engine
// (completion callbacks), the virtual clock (simulate.h) and the replay of a recorded run: they cannot disagree.
//
//   driver:  flow.arrive() / flow.done(execution) / flow.close()   any number, all of one instant, in any order
//            for (const FlowAction& action : flow.settle()) …      start what it says, hand over, deliver
//
// Events of one instant. What the driver reports before one settle() happened at one instant; the order of the reports
// has no influence on anything. An execution that takes no time at all is reported before the next settle(), at the
// same time. An engine whose events come one by one settles after each.
//
// The rules. In a chain a batch is always in one place: at the source, in the input queue of a stage, in a replica
// of a stage (executing, waiting for its parts, or blocked), or delivered. Where stages fork it is in several places,
// until it has left them for the stage where they meet, or for the sink; it is delivered when it has left the last. In
// front of a stage where several meet there is a queue from each of them, and a batch waits in those that it has
// reached until it is in all. settle() repeats these steps until nothing moves:
//  1. Leave. Every batch that is done and may leave does so, later stages first: to the sink, or into the queues of all
//     downstream stages if each has room. A batch that finds no room stays in its replica, which takes no other batch
//     meanwhile (blocking after service); its device is free for other work, so stages that share a device cannot lock
//     each other out. In an ordered stage only the batch that started there first of those inside may leave; in an
//     unordered one the done batch of the lowest number goes first.
//  2. Admit. While the queues after the source have room, fewer than `in_flight` batches are inside and the source has
//     one, the next batch enters them.
//  3. Start. One execution starts: of all that could, the one with the lowest batch number; of one batch, whole stages
//     before parts, the lowest stage first, then the lowest part.
//     What could start: the lowest batch number of those that wait in all queues of a stage, if a replica of the stage
//     is free and (ordinary stage) that replica's device runs fewer than `requests` executions; of several such
//     replicas the lowest number is taken. A batch leaves its queue only when it starts. In a data-parallel stage the
//     partition starts as soon as a replica is free, because it runs on the host, which has no bound.
// Data-parallel stage. When the partition is done, its parts wait for their devices and start one by one by rule 3, at
// once where the device has a free request. When the last part is done the merge starts, on the host. When the merge is
// done the batch is done. A part that is done frees its request at once.
// Nothing can lock: a device's request is held only while executing, and the sink always takes; and before a stage
// where several meet no batch overtakes another, so all that is ahead of the lowest batch inside is room.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "base/basics/index.h"
#include "flow/batch_ring.h"
#include "flow/flow_shape.h"
#include "flow/index_set.h"

namespace takt {

/// What an execution does. Ordinary stages only `run`; data-parallel ones `partition`, then `run` each part, then
/// `merge`.
enum class FlowPhase : std::uint8_t { partition, run, merge };

/// One piece of work, the smallest thing that starts and is done.
struct Execution {
  static constexpr int host = -1;

  std::int64_t batch = 0;
  int stage = 0, replica = 0;
  int part = 0;       ///< 0 in an ordinary stage, a partition and a merge
  int device = host;  ///< `host` for partition and merge
  FlowPhase phase = FlowPhase::run;

  bool operator==(const Execution&) const = default;
};

enum class FlowActionKind : std::uint8_t {
  admit,    ///< `batch` enters the queue of stage 0
  start,    ///< start `what`; report done(what) when it is complete
  leave,    ///< `batch` leaves `stage` and `replica` for the stages downstream, or as not the last for the sink
  deliver,  ///< `batch` leaves the `replica` of the last `stage` that it was in for the sink
  finish,   ///< all batches were delivered and none will come; said once, as the last action of all
};

/// An action. Only the fields of `what` that the comment of its kind names are meaningful.
struct FlowAction {
  FlowActionKind kind = FlowActionKind::admit;
  Execution what;
};

/// The state of one pipeline. Not thread-safe: an engine calls it under its own lock. An event costs O(1) for ordinary
/// pipelines (some tens of nanoseconds) and allocates nothing once every queue was as long as it gets.
class PipelineFlow {
 public:
  /// Throws as check() does.
  explicit PipelineFlow(FlowShape shape);

  /// `count` batches arrived at an open source. Batches beyond `batches`, and all after close(), are rejected.
  /// Meaningless in a closed loop, which makes its own batches.
  void arrive(std::int64_t count = 1);

  /// An execution that was started is complete. Throws Error(runtime) if it is not running.
  void done(const Execution& execution);

  /// The source gives no more: a closed loop admits nothing further, an open one only what came before.
  void close();

  /// Forgets the batches that wait at the source (an interrupted run); those inside are still delivered.
  void drop_backlog() { arrived_ = admitted_; }

  /// What must happen now, in this order. Valid until the next call. Empty if nothing moves.
  const std::vector<FlowAction>& settle();

  const FlowShape& shape() const { return shape_; }
  /// Batches that wait for a stage and need no other stage before; those that execute or are blocked there are
  /// not counted.
  std::int64_t queued(int stage) const { return stages_[index(stage)].queue.size(); }
  std::int64_t running(int device) const { return devices_[index(device)].running; }  ///< executions now
  std::int64_t admitted() const { return admitted_; }                                 ///< since the beginning
  std::int64_t delivered() const { return delivered_; }                               ///< since the beginning
  std::int64_t backlog() const;  ///< batches that wait at an open source; 0 in a closed loop
  bool finished() const { return finished_; }

 private:
  /// The way into a stage where several meet: which one, and the place of this way among them.
  struct Edge {
    int stage = 0;
    std::size_t way = 0;
  };
  struct Stage {
    BatchRing<std::int64_t> queue;  ///< those that left all stages before
    BatchRing<int> started;         ///< replicas in the order in which they started; ordered stages only
    IndexSet free;                  ///< replicas without a batch
    int first_replica = 0, replicas = 1, parts = 1;
    int done = 0;             ///< replicas whose batch may leave
    int device = -1;          ///< where all replicas run, or -1: they differ, or the stage is split
    bool one_device = false;  ///< `device` is the only one
    bool ordered = true, split = false, last = false;
    std::int64_t room = 1;
    int next = -1;                     ///< the only downstream stage, unless others lead there as well
    std::vector<Edge> behind;          ///< all downstream stages
    std::vector<int> before;           ///< all stages before; none: the source
    std::vector<std::int64_t> come{};  ///< where several meet: how many batches came on each way
    std::int64_t gone = 0;             ///< where several meet: how many of them have started here
    bool meets() const { return !come.empty(); }
  };
  struct Replica {
    std::int64_t batch = -1;
    int stage = 0, first_part = 0, open = 0;  ///< executions that are not done
    FlowPhase phase = FlowPhase::run;
    bool done = false;
  };
  enum class PartState : std::uint8_t { idle, waiting, running };
  struct Part {
    int device = 0;
    PartState state = PartState::idle;
  };
  struct WaitingPart {
    std::int64_t batch;
    int part, stage, replica;
    bool operator<(const WaitingPart& other) const {
      if (batch != other.batch) return batch < other.batch;
      return stage != other.stage ? stage < other.stage : part < other.part;
    }
  };
  struct Device {
    std::int64_t running = 0, requests = 0;
    BatchRing<WaitingPart> waiting;
    IndexSet stages;  ///< ordinary stages that run here
  };
  /// Small enough to travel in two registers.
  struct Choice {
    std::int64_t batch = std::numeric_limits<std::int64_t>::max();
    int stage = -1, replica = -1;  ///< -1: nothing can start
  };

  void add_stage(const FlowStage& shape, int number);
  void connect();
  Replica& replica_of(const Execution& execution);
  void release_device(int device);
  void dispatch_parts(const Execution& partition, Replica& replica);
  void batch_done(Stage& stage, Replica& replica);
  void start_merges();
  Execution& say(FlowActionKind kind, std::int64_t batch, int stage, int replica);
  void leave_all();
  bool may_leave(const Stage& stage) const;
  bool has_room(const Edge& edge) const;
  void enter(const Edge& edge, std::int64_t batch);
  bool is_last_way_out(std::int64_t batch);
  bool source_has_room() const;
  void leave(Stage& stage, int number);
  int lowest_done_replica(const Stage& stage) const;
  void admit();
  bool source_has_one() const;
  bool start_lowest();
  int startable_replica(const Stage& stage) const;
  Choice lowest_batch();
  int device_of_lowest_part(std::int64_t limit);
  void start_batch(std::int64_t batch, int number, int r);
  void start_part(int number);
  void finish_if_empty();

  FlowShape shape_;
  std::vector<Stage> stages_;
  std::vector<Replica> replicas_;  ///< of all stages, one after the other
  std::vector<Part> parts_;        ///< of all replicas, one after the other
  std::vector<Device> devices_;
  IndexSet may_leave_, may_start_;           ///< stages where something may have become possible
  IndexSet may_dispatch_;                    ///< devices where a waiting part may have become possible
  std::vector<Execution> merges_;            ///< that start at the next settle()
  std::vector<int> first_;                   ///< stages after the source
  std::size_t ways_out_ = 0;                 ///< stages before the sink
  std::map<std::int64_t, std::size_t> out_;  ///< of batches that left some of several: how many
  std::vector<FlowAction> actions_;
  std::int64_t arrived_ = 0, admitted_ = 0, delivered_ = 0;
  bool closed_ = false, finished_ = false;
};

}  // namespace takt
