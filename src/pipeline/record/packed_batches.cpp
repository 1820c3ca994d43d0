#include "pipeline/record/packed_batches.h"

#include <limits>

namespace takt {
namespace {

// Differences of any two times are meant to wrap: added up again they give what was there.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// Numbers as Protocol Buffers have them (sint64): zigzag, then seven bits to a byte, the lowest first.
class Packer {
 public:
  explicit Packer(std::string& bytes) : bytes_(bytes) {}

  void number(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
    for (; rest >= 0x80; rest >>= 7) bytes_.push_back(static_cast<char>(rest | 0x80));
    bytes_.push_back(static_cast<char>(rest));
  }
  void time(Nanoseconds time) {
    number(difference(time.count(), last_time_));
    last_time_ = time.count();
  }

 private:
  std::string& bytes_;
  std::int64_t last_time_ = 0;
};

constexpr std::int64_t has_hardware = 1, has_marshalling = 2, has_bytes_moved = 4, all_counters = 7;

void pack_step(Packer& packer, const BatchPassage::Step& step) {
  const Execution& what = step.record.what;
  packer.number(step.number);
  packer.number(what.stage);
  packer.number(what.replica);
  packer.number(what.part);
  packer.number(what.device);
  packer.number(static_cast<std::int64_t>(what.phase));
  packer.time(step.record.ready);
  packer.time(step.record.start);
  packer.time(step.record.end);
  const ExecutionCounters& c = step.counters;
  packer.number((c.hardware ? has_hardware : 0) | (c.marshalling ? has_marshalling : 0) |
                (c.bytes_moved ? has_bytes_moved : 0));
  if (c.hardware) packer.number(c.hardware->count());
  if (c.marshalling) packer.number(c.marshalling->count());
  if (c.bytes_moved) packer.number(*c.bytes_moved);
}

void pack_copy(Packer& packer, const CopySpan& copy) {
  for (const int place : {copy.stage, copy.replica, copy.part, copy.device}) packer.number(place);
  packer.number(copy.of_outputs ? 1 : 0);
  packer.time(copy.start);
  packer.time(copy.end);
  packer.number(copy.bytes);
}

}  // namespace

void pack(std::string& bytes, const BatchPassage& passage) {
  Packer packer(bytes);
  packer.number(passage.batch);
  for (const Nanoseconds time : {passage.times.arrived, passage.times.admitted, passage.times.delivered})
    packer.time(time);
  for (const VisitRecord& visit : passage.visits) {
    packer.number(visit.replica);
    for (const Nanoseconds time :
         {visit.entered, visit.started, visit.dispatched, visit.joined, visit.done, visit.left})
      packer.time(time);
  }
  packer.number(static_cast<std::int64_t>(passage.steps.size()));
  for (const auto& step : passage.steps) pack_step(packer, step);
  packer.number(static_cast<std::int64_t>(passage.copies.size()));
  for (const auto& copy : passage.copies) pack_copy(packer, copy);
}

std::int64_t PackedBatches::number() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) break;
    const auto byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
  }
  ok_ = false;
  return 0;
}

int PackedBatches::small() {
  const std::int64_t value = number();
  ok_ = ok_ && value >= Execution::host && value <= std::numeric_limits<int>::max();
  return ok_ ? static_cast<int>(value) : 0;
}

Nanoseconds PackedBatches::time() {
  last_time_ = wrapping_sum(last_time_, number());
  return Nanoseconds(last_time_);
}

/// Of entries that take so many bytes at least: before anything is made as large as a file says.
std::size_t PackedBatches::count(std::size_t least_bytes) {
  const std::int64_t value = number();
  ok_ = ok_ && value >= 0 && static_cast<std::uint64_t>(value) <= rest_.size() / least_bytes;
  return ok_ ? static_cast<std::size_t>(value) : 0;
}

void PackedBatches::read_visits(BatchPassage& passage) {
  passage.visits.clear();
  for (std::size_t s = 0; s < stages_ && ok_; ++s) {
    VisitRecord& visit = passage.visits.emplace_back();
    visit.batch = passage.batch;
    visit.stage = static_cast<int>(s);
    visit.replica = small();
    for (Nanoseconds* into :
         {&visit.entered, &visit.started, &visit.dispatched, &visit.joined, &visit.done, &visit.left})
      *into = time();
  }
}

void PackedBatches::read_step(BatchPassage& passage) {
  auto& [step_number, record, counters] = passage.steps.emplace_back();
  step_number = number();
  record.what.batch = passage.batch;
  for (int* place : {&record.what.stage, &record.what.replica, &record.what.part, &record.what.device})
    *place = small();
  const std::int64_t phase = number();
  ok_ = ok_ && phase >= 0 && phase <= static_cast<std::int64_t>(FlowPhase::merge);
  if (ok_) record.what.phase = static_cast<FlowPhase>(phase);
  for (Nanoseconds* into : {&record.ready, &record.start, &record.end}) *into = time();
  const std::int64_t told = number();
  ok_ = ok_ && told >= 0 && told <= all_counters;
  if ((told & has_hardware) != 0) counters.hardware = Nanoseconds(number());
  if ((told & has_marshalling) != 0) counters.marshalling = Nanoseconds(number());
  if ((told & has_bytes_moved) != 0) counters.bytes_moved = number();
}

void PackedBatches::read_copy(BatchPassage& passage) {
  CopySpan& copy = passage.copies.emplace_back();
  copy.batch = passage.batch;
  for (int* place : {&copy.stage, &copy.replica, &copy.part, &copy.device}) *place = small();
  copy.of_outputs = number() != 0;
  copy.start = time();
  copy.end = time();
  copy.bytes = number();
}

bool PackedBatches::next(BatchPassage& passage) {
  if (rest_.empty() || !ok_) return false;
  last_time_ = 0;
  passage.batch = number();
  for (Nanoseconds* into : {&passage.times.arrived, &passage.times.admitted, &passage.times.delivered}) *into = time();
  read_visits(passage);
  passage.steps.clear();
  constexpr std::size_t least_of_step = 10, least_of_copy = 8;  // a byte for each number
  for (std::size_t left = count(least_of_step); left > 0 && ok_; --left) read_step(passage);
  passage.copies.clear();
  for (std::size_t left = count(least_of_copy); left > 0 && ok_; --left) read_copy(passage);
  return ok_;
}

}  // namespace takt
