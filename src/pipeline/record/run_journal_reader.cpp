#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "pipeline/record/collected_batches.h"
#include "pipeline/record/journal_blocks.h"
#include "pipeline/record/run_check.h"
#include "pipeline/record/run_description.h"
#include "pipeline/record/run_journal.h"

namespace takt {
namespace {

class JournalReader {
 public:
  JournalReader(BlockReader& reader, const std::string& name) : reader_(reader), name_(name) {}

  JournalledRun read() {
    const auto first = reader_.next();
    if (!first || first->type != journal::head_block)
      refuse("the journal ends before its description of the run; it has no content");
    read_head(BlockFields(first->bytes));
    CollectedBatches collected(result_.run.stages.size());
    for (auto block = next(); block && !result_.ended; block = next())
      if (!take(*block, collected)) break;
    if (!result_.ended) result_.run.interrupted = true;
    if (result_.damaged) result_.first = collected.keep_longest();
    result_.left_out = collected.left_out();
    result_.run.warmup = warmup_batches(warmup_, result_.run.shape.source, collected.size());
    collected.move_to(result_.run);
    check(result_.run, name_);
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_input, fmt::format("{}: {}", printable(name_), what));
  }

  std::optional<Block> next() {
    auto block = reader_.next();
    if (!block && reader_.is_torn() && reader_.skip_damage()) {
      result_.damaged = true;
      block = reader_.next();
    }
    return block;
  }

  void read_head(BlockFields fields) {
    const bool has_warmup = fields.number<std::uint32_t>() != 0;
    const auto warmup = fields.number<std::int64_t>();
    if (has_warmup) warmup_ = warmup;
    const std::string description(fields.text());
    if (!fields.ok()) refuse("the journal's description of the pipeline is damaged; record the run again");
    result_.run = read_description(description, name_).run;
    check_shape(result_.run, name_);
    if (result_.run.stages.size() != result_.run.shape.stages.size())
      refuse("the journal's description of the pipeline is damaged; record the run again");
    // What was planned is no schedule: its times are those of the batches.
    result_.run.schedule = {};
  }

  bool take(const Block& block, CollectedBatches& collected) {
    BlockFields fields(block.bytes);
    switch (block.type) {
      case journal::start_block:
        result_.run.base_time = Nanoseconds(fields.number<std::int64_t>());
        return fields.ok();
      case journal::batches_block:
        if (!collected.add_packed(block.bytes)) refuse("a batch of the journal is damaged; record the run again");
        return true;
      case journal::end_block:
        return take_end(fields);
      default:
        return false;
    }
  }

  bool take_end(BlockFields fields) {
    result_.run.interrupted = fields.number<std::uint32_t>() != 0;
    const bool failed = fields.number<std::uint32_t>() != 0;
    const std::string_view failure = fields.text();
    if (failed) result_.run.failure = failure;
    result_.ended = fields.ok();
    return result_.ended;
  }

  BlockReader& reader_;
  const std::string& name_;
  std::optional<std::int64_t> warmup_;
  JournalledRun result_;
};

}  // namespace

std::string_view run_journal_magic() { return journal::magic; }

std::string_view run_journal_family() { return journal::family; }

bool is_run_journal(const std::filesystem::path& path) { return begins_with(path, journal::family); }

JournalledRun read_run_journal(const std::filesystem::path& path) {
  BlockReader reader(path, journal::magic);
  return JournalReader(reader, path.string()).read();
}

JournalledRun parse_run_journal(std::string_view bytes, const std::string& name) {
  BlockReader reader(bytes, journal::magic, name);
  return JournalReader(reader, name).read();
}

}  // namespace takt
