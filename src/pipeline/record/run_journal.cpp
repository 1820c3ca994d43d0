#include "pipeline/record/run_journal.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/record/collected_batches.h"
#include "pipeline/record/journal_blocks.h"
#include "pipeline/record/left_journal.h"
#include "pipeline/record/packed_batches.h"
#include "pipeline/record/run_description.h"

namespace takt {
namespace {

constexpr auto journal_period = std::chrono::milliseconds(100);
constexpr std::size_t many_news = std::size_t{1} << 20;  // bytes that are written before the period is over

void remove_if_empty(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::file_size(path, ignored) == 0 && !ignored) std::filesystem::remove(path, ignored);
}

}  // namespace

RunJournal::RunJournal(std::filesystem::path path, TellProvenance tell_provenance)
    : path_(std::move(path)), tell_provenance_(std::move(tell_provenance)) {}

RunJournal::~RunJournal() { stop_writing(); }

void RunJournal::take_lock() {
  lock_.emplace(path_);
  if (!lock_->is_held())
    throw Error(ErrorKind::bad_input, fmt::format("{}: another run writes this file; give each run a separate trace",
                                                  printable(path_.string())));
}

void RunJournal::open(const PipelineRun& planned, std::optional<std::int64_t> warmup) {
  stages_ = planned.stages.size();
  PipelineRun described = planned;
  if (tell_provenance_) described.provenance_json = tell_provenance_(planned);
  const std::string description = describe_run(described);
  take_lock();
  found_ = set_aside_left_journal(path_);
  if (!found_.empty()) take_lock();  // of the new file: the one before went with the old one
  try {
    writer_.emplace(path_, journal::magic, journal::family);
    add_number(*writer_, std::uint32_t{warmup ? 1u : 0u});
    add_number(*writer_, warmup.value_or(0));
    add_text(*writer_, description);
    writer_->end_block(journal::head_block);
    writer_->flush();
  } catch (...) {
    if (writer_)
      remove();
    else
      remove_if_empty(path_);
    throw;
  }
  thread_ = std::thread([this] { write_along(); });
}

// No batch came yet, so the thread does not touch the writer; it writes this with the first ones.
void RunJournal::start(Nanoseconds base_time) {
  const std::lock_guard lock(mutex_);
  add_number(*writer_, static_cast<std::int64_t>(base_time.count()));
  writer_->end_block(journal::start_block);
}

void RunJournal::take(const BatchPassage& batch) {
  const std::lock_guard lock(mutex_);
  pack(news_, batch);
  if (news_.size() > many_news) wake_.notify_one();
}

std::optional<std::string> RunJournal::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void RunJournal::write_along() {
  std::unique_lock lock(mutex_);
  while (!ends_ && !failure_) {
    wake_.wait_for(lock, journal_period, [this] { return ends_ || news_.size() > many_news; });
    write_news(lock);
  }
}

void RunJournal::write_news(std::unique_lock<std::mutex>& lock) {
  if (news_.empty() || failure_) return;
  const std::string packed = std::exchange(news_, {});
  std::optional<std::string> failure;
  lock.unlock();
  try {
    writer_->add(packed);
    writer_->end_block(journal::batches_block);
    writer_->flush();
  } catch (const Error& error) {
    failure = error.what();
  }
  lock.lock();
  if (!failure) return;
  failure_ = std::move(failure);
  unwritten_ = packed;
}

void RunJournal::stop_writing() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void RunJournal::write_end(const PipelineRun& run) {
  std::unique_lock lock(mutex_);
  write_news(lock);
  if (failure_) return;
  try {
    add_number(*writer_, std::uint32_t{run.interrupted ? 1u : 0u});
    add_number(*writer_, std::uint32_t{run.failure ? 1u : 0u});
    add_text(*writer_, run.failure.value_or(""));
    writer_->end_block(journal::end_block);
    writer_->flush();
  } catch (const Error& error) {
    failure_ = error.what();
  }
}

void RunJournal::end(PipelineRun& run) {
  stop_writing();
  write_end(run);
  CollectedBatches collected(stages_);
  BlockReader reader(path_, journal::magic);
  bool is_whole = true;
  for (auto block = reader.next(); block && is_whole; block = reader.next())
    if (block->type == journal::batches_block) is_whole = collected.add_packed(block->bytes);
  // A write that failed may have left half a block where the disk did not even let it be taken back.
  if (!is_whole || (reader.is_torn() && !failure_))
    throw Error(ErrorKind::io,
                fmt::format("{}: the record of the run is damaged; another program has written to the file",
                            printable(path_.string())));
  batches_in_file_ = collected.size() + collected.left_out();
  for (const std::string* packed : {&unwritten_, &news_}) collected.add_packed(*packed);
  collected.move_to(run);
  if (!failure_) return;
  run.interrupted = true;
  if (!run.failure) run.failure = failure_;
}

void RunJournal::remove() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace takt
