#include "pipeline/record/kept_batches.h"

#include <utility>

#include "base/basics/check.h"
#include "pipeline/record/collected_batches.h"
#include "pipeline/record/packed_batches.h"

namespace takt {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 18, room_for_one = std::size_t{1} << 12;

}  // namespace

void KeptBatches::open(const PipelineRun& planned, std::optional<std::int64_t>) {
  stages_ = planned.stages.size();
  pieces_.clear();
}

void KeptBatches::start(Nanoseconds) {}

void KeptBatches::take(const BatchPassage& batch) {
  if (pieces_.empty() || pieces_.back().size() > piece_bytes - room_for_one)
    pieces_.emplace_back().reserve(piece_bytes);
  pack(pieces_.back(), batch);
}

void KeptBatches::end(PipelineRun& run) {
  CollectedBatches collected(stages_);
  for (std::string& piece : pieces_) {
    const bool is_whole = collected.add_packed(piece);
    TAKT_CHECK(is_whole);
    piece = {};
  }
  pieces_ = {};
  collected.move_to(run);
}

}  // namespace takt
