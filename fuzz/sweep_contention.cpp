// The journal of a sweep's contention, whole and its lines alone, and the task that a child is given.
#include "fuzz_file.h"
#include "plan/sweep/contention_journal.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  static const takt::FuzzFile file;
  takt::may_refuse([&] { takt::read_contention(file.holding(text)); });
  takt::may_refuse([&] { takt::parse_contention_configuration(text, "fuzz.jsonl:1"); });
  takt::may_refuse([&] { takt::parse_contention_record(text, {1, 2, 1}, "fuzz.jsonl:2"); });
  takt::may_refuse([&] { takt::parse_contention_task(text); });
  return 0;
}
