#include "pipeline/record/logged_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <set>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/record/logged_batches.h"
#include "pipeline/record/slow_start.h"

namespace takt {
namespace {

using Order = std::vector<std::size_t>;

/// Where no batch was in all stages, each stage must at least have been in a batch with others.
void check_delivered(const PipelineLog& log, const LoggedBatches& batches) {
  std::vector<bool> is_linked(log.stages.size(), log.stages.size() == 1);
  for (const LoggedBatch& batch : batches.delivered) {
    Order way;
    for (std::size_t s = 0; s < is_linked.size(); ++s)
      if (batch.in(s) != nullptr) way.push_back(s);
    for (const std::size_t s : way) is_linked[s] = is_linked[s] || way.size() > 1;
  }
  const bool linked = std::all_of(batches.order.begin(), batches.order.end(), [&](auto s) { return is_linked[s]; });
  if (!batches.delivered.empty() && linked) return;
  std::vector<std::string> names;
  for (const auto& stage : log.stages) names.push_back("'" + printable(stage.name) + "'");
  throw Error(
      ErrorKind::bad_input,
      fmt::format("pipeline '{}': none of the {} batches was logged in all stages ({}); log every batch in every stage",
                  printable(log.name), log.batches.size(), fmt::join(names, ", ")));
}

void check_order(const PipelineLog& log, const LoggedBatch& batch, const Order& order) {
  std::optional<std::size_t> before;
  for (const std::size_t s : order) {
    if (batch.in(s) == nullptr) continue;
    if (before && batch.in(s)->came() < batch.in(*before)->left())
      throw Error(ErrorKind::bad_input,
                  fmt::format("pipeline '{}': batch {} was in stage '{}' before '{}' had completed it; every batch "
                              "passes the stages one after the other, in the same order",
                              printable(log.name), batch.number, printable(log.stages[s].name),
                              printable(log.stages[*before].name)));
    before = s;
  }
}

/// Spans as a number of workers that never do two at once: the one that has been idle longest takes the next.
class Workers {
 public:
  /// Spans must come by `from`. Returns the worker, made by `make` where none is idle.
  int take(Nanoseconds from, Nanoseconds until, const std::function<int()>& make) {
    const bool idle = !busy_.empty() && busy_.top().first <= from;
    const int worker = idle ? busy_.top().second : make();
    if (idle) busy_.pop();
    busy_.emplace(until, worker);
    return worker;
  }

 private:
  using Busy = std::pair<Nanoseconds, int>;  ///< until when, who
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
};

/// The most spans that were open at one time; 1 at least.
int most_at_once(std::vector<std::pair<Nanoseconds, Nanoseconds>> spans) {
  std::sort(spans.begin(), spans.end());
  std::priority_queue<Nanoseconds, std::vector<Nanoseconds>, std::greater<>> open;
  std::size_t most = 1;
  for (const auto& [from, until] : spans) {
    while (!open.empty() && open.top() <= from) open.pop();
    open.push(until);
    most = std::max(most, open.size());
  }
  return static_cast<int>(most);
}

class LoggedRun {
 public:
  explicit LoggedRun(const PipelineLog& log) : log_(log), batches_(logged_batches(log)), order_(batches_.order) {
    check_delivered(log, batches_);
    all_ = batches_.delivered;
    for (const auto& [batch, stage] : batches_.dropped) all_.push_back(batch);
    base_ = Nanoseconds::max();
    for (const LoggedBatch& batch : all_) {
      check_order(log, batch, order_);
      for (const std::size_t s : order_)
        if (batch.in(s) != nullptr) base_ = std::min(base_, batch.in(s)->came());
    }
  }

  PipelineRun make() {
    run_.name = log_.name;
    run_.base_time = log_.wall_minus_steady + base_;
    run_.schedule.visits.resize(delivered() * order_.size());
    for (const LoggedBatch& batch : batches_.delivered) start(batch);
    for (std::size_t s = 0; s < order_.size(); ++s) add_stage(s);
    add_source();
    add_facts();
    std::stable_sort(executions_.begin(), executions_.end(),
                     [](const auto& a, const auto& b) { return a.first.start < b.first.start; });
    for (auto& [record, counters] : executions_) {
      run_.schedule.executions.push_back(record);
      run_.counters.push_back(counters);
      run_.schedule.end = std::max(run_.schedule.end, record.end);
    }
    std::stable_sort(run_.copies.begin(), run_.copies.end(), [](auto& a, auto& b) { return a.start < b.start; });
    for (const CopySpan& copy : run_.copies) run_.schedule.end = std::max(run_.schedule.end, copy.end);
    add_requests();
    run_.warmup = slow_start(run_);
    return std::move(run_);
  }

 private:
  std::size_t delivered() const { return batches_.delivered.size(); }

  /// A batch is there when its first stage takes it.
  void start(const LoggedBatch& batch) {
    for (const std::size_t s : order_) {
      if (batch.in(s) == nullptr) continue;
      const auto arrived = batch.in(s)->came() - base_;
      run_.schedule.batches.push_back({arrived, arrived, arrived});
      return;
    }
  }

  /// What the source did is what was seen: so many batches were inside at once, and one more only came when one left.
  void add_source() {
    std::vector<std::pair<Nanoseconds, Nanoseconds>> inside;
    for (const BatchRecord& batch : run_.schedule.batches) inside.emplace_back(batch.arrived, batch.delivered);
    run_.shape.source.batches = static_cast<std::int64_t>(delivered());
    run_.shape.source.in_flight = most_at_once(std::move(inside));
  }

  void add_facts() {
    LoggedFacts& facts = run_.logged.emplace();
    for (const LoggedBatch& batch : batches_.delivered) facts.numbers.push_back(batch.number);
    std::sort(skipped_.begin(), skipped_.end());
    facts.skipped = std::move(skipped_);
    std::map<std::size_t, std::int64_t> dropped;
    for (const auto& [batch, stage] : batches_.dropped) ++dropped[stage];
    for (const auto& [stage, count] : dropped) facts.dropped.push_back({static_cast<int>(stage), count});
  }

  /// A device that several stages share executes as many at once as were seen; of others the replicas tell it.
  void add_requests() {
    std::vector<std::vector<std::pair<Nanoseconds, Nanoseconds>>> spans(run_.devices.size());
    std::vector<std::set<int>> stages(run_.devices.size());
    for (const ExecutionRecord& record : run_.schedule.executions) {
      if (record.what.device == Execution::host || record.start == record.end) continue;
      spans[static_cast<std::size_t>(record.what.device)].emplace_back(record.start, record.end);
      stages[static_cast<std::size_t>(record.what.device)].insert(record.what.stage);
    }
    run_.shape.devices.resize(run_.devices.size());
    for (std::size_t d = 0; d < spans.size(); ++d)
      if (stages[d].size() > 1) run_.shape.devices[d].requests = most_at_once(std::move(spans[d]));
  }

  void add_stage(std::size_t s) {
    run_.stages.emplace_back().name = log_.stages[order_[s]].name;
    auto& shape = run_.shape.stages.emplace_back();
    shape.ordered = false;
    Order by_start;
    for (std::size_t b = 0; b < all_.size(); ++b)
      if (all_[b].in(order_[s]) != nullptr) by_start.push_back(b);
    std::stable_sort(by_start.begin(), by_start.end(), [&](std::size_t a, std::size_t b) {
      return all_[a].in(order_[s])->came() < all_[b].in(order_[s])->came();
    });
    std::map<std::vector<int>, Workers> replicas;
    std::vector<std::pair<Nanoseconds, Nanoseconds>> waiting;
    for (const std::size_t b : by_start) {
      const LoggedVisit& visit = *all_[b].in(order_[s]);
      const auto devices = devices_of(visit);
      const int replica = replicas[devices].take(visit.came(), visit.left(), [&] {
        shape.replicas.push_back(devices);
        return static_cast<int>(shape.replicas.size()) - 1;
      });
      const auto entered = b < delivered() ? run_.schedule.batches[b].delivered : visit.came() - base_;
      if (b < delivered()) waiting.emplace_back(entered, visit.begin - base_);
      add_visit(b, s, replica, entered, visit);
    }
    for (std::size_t b = 0; b < delivered(); ++b)
      if (all_[b].in(order_[s]) == nullptr) skip(b, s);
    shape.queue = most_at_once(std::move(waiting));
  }

  /// A visit without a time, when the batch left the stage before.
  void skip(std::size_t b, std::size_t s) {
    const auto batch = static_cast<std::int64_t>(b);
    const auto stage = static_cast<int>(s);
    const Nanoseconds then = run_.schedule.batches[b].delivered;
    const auto& devices = run_.shape.stages[s].replicas.front();
    const bool split = devices.size() > 1;
    if (split) add({{batch, stage, 0, 0, Execution::host, FlowPhase::partition}, then, then, then}, {});
    for (std::size_t p = 0; p < devices.size(); ++p)
      add({{batch, stage, 0, static_cast<int>(p), devices[p], FlowPhase::run}, then, then, then}, {});
    if (split) add({{batch, stage, 0, 0, Execution::host, FlowPhase::merge}, then, then, then}, {});
    run_.schedule.visits[b * order_.size() + s] = {batch, stage, 0, then, then, then, then, then, then};
    skipped_.push_back(b * order_.size() + s);
  }

  void add_visit(std::size_t b, std::size_t s, int replica, Nanoseconds entered, const LoggedVisit& visit) {
    const auto batch = static_cast<std::int64_t>(b);
    const int stage = static_cast<int>(s);
    const auto begin = visit.begin - base_, dispatched = visit.dispatched - base_, done = visit.done - base_;
    const bool split = visit.parts.size() > 1;
    if (split) add({{batch, stage, replica, 0, Execution::host, FlowPhase::partition}, entered, begin, dispatched}, {});
    Nanoseconds joined = split ? dispatched : done;
    const auto devices = devices_of(visit);
    for (std::size_t p = 0; p < visit.parts.size(); ++p) {
      const LoggedPart& part = visit.parts[p];
      const auto end = part.completed - base_;
      add({{batch, stage, replica, static_cast<int>(p), devices[p], FlowPhase::run},
           split ? dispatched : entered,
           part.submitted - base_,
           end},
          part.counters);
      joined = std::max(joined, end);
    }
    if (split)
      add({{batch, stage, replica, 0, Execution::host, FlowPhase::merge}, joined, visit.merged - base_, done}, {});
    const Execution what{batch, stage, replica, 0, devices.front(), FlowPhase::run};
    add_copy(what, visit.inputs_copied, false);
    add_copy(what, visit.outputs_copied, true);
    if (b >= delivered()) return;
    const Nanoseconds left = visit.left() - base_;
    run_.schedule.visits[b * order_.size() + s] = {batch,      stage,  replica, entered, begin,
                                                   dispatched, joined, done,    left};
    run_.schedule.batches[b].delivered = left;
  }

  void add_copy(const Execution& what, const TensorCopy& copy, bool of_outputs) {
    if (copy.bytes == 0) return;
    run_.copies.push_back({what.batch, what.stage, what.replica, what.part, what.device, of_outputs, copy.begin - base_,
                           copy.end - base_, copy.bytes});
  }

  void add(const ExecutionRecord& record, const ExecutionCounters& counters) {
    executions_.emplace_back(record, counters);
  }

  /// Numbers in the run: a device that only unfinished batches used is not in it.
  std::vector<int> devices_of(const LoggedVisit& visit) {
    std::vector<int> numbers;
    for (const auto& part : visit.parts) {
      const auto [found, is_new] = devices_.try_emplace(part.device, static_cast<int>(run_.devices.size()));
      if (is_new) run_.devices.push_back({log_.devices[part.device], ""});
      numbers.push_back(found->second);
    }
    return numbers;
  }

  const PipelineLog& log_;
  const LoggedBatches batches_;
  const Order& order_;
  std::vector<LoggedBatch> all_;  ///< those that were dropped behind those that were delivered
  Nanoseconds base_{};
  PipelineRun run_;
  std::map<std::size_t, int> devices_;
  std::vector<std::size_t> skipped_;
  std::vector<std::pair<ExecutionRecord, ExecutionCounters>> executions_;
};

}  // namespace

std::size_t PipelineLog::stage(std::string_view wanted) const {
  const auto found =
      std::find_if(stages.begin(), stages.end(), [&](const LoggedStage& stage) { return stage.name == wanted; });
  return static_cast<std::size_t>(found - stages.begin());
}

std::size_t PipelineLog::device(std::string_view wanted) {
  const auto number = static_cast<std::size_t>(std::find(devices.begin(), devices.end(), wanted) - devices.begin());
  if (number == devices.size()) devices.emplace_back(wanted);
  return number;
}

PipelineRun run_of(const PipelineLog& log) { return LoggedRun(log).make(); }

}  // namespace takt
