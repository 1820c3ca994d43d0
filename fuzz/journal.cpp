// Journals, lines of JSON that may be torn anywhere: what is read while somebody writes is what the next writer finds.
#include "core/journal.h"

#include "fuzz_folder.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFolder folder;
  const auto path = folder.holding("journal.jsonl", takt::text_of(bytes, size));
  takt::may_refuse([&] {
    const auto before = takt::read_journal(path);
    { const takt::Journal journal(path); }
    if (takt::read_journal(path) != before) std::abort();
  });
  return 0;
}
