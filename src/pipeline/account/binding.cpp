// What keeps the cycle from being shorter is asked of the critical path between the first and the last delivery of the
// steady part. The path goes from batch to batch: a lap is a stretch of it in which one batch runs on, from stage to
// stage, and it begins where the batch waited for something that another batch had: a replica, a request of a device,
// room in a queue, its turn, a place inside. Each lap is charged to what it waited for, so the shares say which wait
// closes the circle that the cycle is the length of (Baccelli et al.: the critical circuit of a max-plus system).
//  * A batch of stage A that waited for room in front of B waited for A's replica as well, which held the batch before
//    it: of several waits of one instant that for room, order or a place inside counts, because the replica was free to
//    work and was not let.
//  * A batch that got the replica of one that worked to the end could have had another, where a batch was done that had
//    to wait for that one to leave: such a wait is for order, too.
//  * Time that the source had no batch, and time between what was there and what had not begun (dispatch), stand apart.
//
// The run is named by the first of these that holds:
//  * source, dispatch: at least half of the path is theirs.
//  * the stage, or shared device, of the largest load, where that is 95 % of the cycle or more: it hardly ever rests,
//  so
//    nothing else would help. Without this rule, times that vary would name the queues next to it, whose waits part
//    long busy stretches.
//  * of queue, order, in flight and source the largest share: no stage is busy all the time, so what couples them
//  binds.
//  * the largest share of a stage or device.
#include "pipeline/account/binding.h"

#include <algorithm>

#include "base/basics/index.h"

namespace takt {
namespace {

/// Stages and devices are busy while others wait for them; queues, order and the bound on batches inside only couple.
bool couples(Binder binder) {
  return binder == Binder::queue || binder == Binder::order || binder == Binder::in_flight;
}

constexpr double saturated = 0.95;

std::optional<BinderShare> main_of(const std::vector<BinderShare>& shares, const std::optional<LargestLoad>& load,
                                   double load_share) {
  Nanoseconds all{};
  for (const BinderShare& share : shares) all += share.total;
  const auto largest = [&](auto wanted) -> std::optional<BinderShare> {
    for (const BinderShare& share : shares)
      if (share.total.count() > 0 && wanted(share)) return share;
    return std::nullopt;
  };
  const auto half = largest([&](const BinderShare& share) {
    return (share.binder == Binder::source || share.binder == Binder::dispatch) && 2 * share.total >= all;
  });
  if (half) return half;
  if (load && load_share >= saturated) {
    BinderShare busiest;
    busiest.binder = load->device >= 0 ? Binder::device : Binder::stage;
    (load->device >= 0 ? busiest.device : busiest.stage) = load->device >= 0 ? load->device : load->stage;
    const auto same = [&](const BinderShare& share) {
      return share.binder == busiest.binder && share.stage == busiest.stage && share.device == busiest.device;
    };
    return largest(same).value_or(busiest);
  }
  const auto coupling =
      largest([](const BinderShare& share) { return couples(share.binder) || share.binder == Binder::source; });
  return coupling ? coupling : largest([](const BinderShare& share) { return share.binder != Binder::start; });
}

}  // namespace

Nanoseconds Laps::inside(Nanoseconds from, Nanoseconds to) const {
  return std::max(std::min(to, window_.end) - std::max(from, window_.begin), Nanoseconds{});
}

BinderShare& Laps::share_of(Binder binder, int stage, int device) {
  const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const BinderShare& share) {
    return share.binder == binder && share.stage == stage && share.device == device;
  });
  if (found != shares_.end()) return *found;
  return shares_.emplace_back(BinderShare{binder, stage, device, 0, {}});
}

void Laps::spend(Nanoseconds from, Nanoseconds to) {
  if (to <= from) return;
  close_lap();
  lap_ += inside(from, to);
}

void Laps::spend_apart(Binder binder, Nanoseconds from, Nanoseconds to) {
  const Nanoseconds time = inside(from, to);
  if (time.count() == 0) return;
  BinderShare& share = share_of(binder, -1, -1);
  ++share.laps;
  share.total += time;
}

void Laps::wait_for(Binder binder, int stage, int device) {
  if (!waited_for_ || (!couples(waited_for_->binder) && couples(binder)))
    waited_for_ = BinderShare{binder, stage, device, 0, {}};
}

void Laps::close_lap() {
  if (!waited_for_) return;
  if (lap_.count() > 0) {
    BinderShare& share = share_of(waited_for_->binder, waited_for_->stage, waited_for_->device);
    ++share.laps;
    share.total += lap_;
  }
  lap_ = {};
  waited_for_.reset();
}

std::vector<BinderShare> Laps::finish(Binder binder) {
  if (!waited_for_) waited_for_ = BinderShare{binder, -1, -1, 0, {}};
  close_lap();
  std::stable_sort(shares_.begin(), shares_.end(),
                   [](const BinderShare& a, const BinderShare& b) { return a.total > b.total; });
  return std::move(shares_);
}

Bindings settle_bindings(const Accounts& accounts, const std::optional<LargestLoad>& load, RunWindow window,
                         std::vector<BinderShare> shares) {
  Bindings bindings;
  bindings.window = window;
  if (load && accounts.cycle && accounts.cycle->count() > 0)
    bindings.load_share = accounts.stages[index(load->stage)].load / *accounts.cycle;
  bindings.main = main_of(shares, load, bindings.load_share);
  bindings.shares = std::move(shares);
  return bindings;
}

std::string binder_name(const Accounts& accounts, const BinderShare& share) {
  const auto stage = [&] { return accounts.stages[index(share.stage)].name; };
  switch (share.binder) {
    case Binder::stage:
      return "stage " + stage();
    case Binder::device:
      return "device " + accounts.devices[index(share.device)].name;
    case Binder::queue:
      return "queue of " + stage();
    case Binder::order:
      return "order in " + stage();
    case Binder::in_flight:
      return "in flight";
    case Binder::source:
      return "source";
    case Binder::dispatch:
      return "dispatch";
    case Binder::start:
      break;
  }
  return "[start]";
}

}  // namespace takt
