// The journal of a sweep's contention: its first line and the records, and the task that a child is given.
#include "refused.h"
#include "sweep/contention_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  takt::may_refuse([&] { takt::parse_contention_configuration(text, "fuzz.jsonl:1"); });
  takt::may_refuse([&] { takt::parse_contention_record(text, {1, 2, 1}, "fuzz.jsonl:2"); });
  takt::may_refuse([&] { takt::parse_contention_task(text); });
  return 0;
}
