// The journal of a collection, and the dataset that is made of it, which is read back. And the task that a child of a
// collection is given.
#include "predict/collect/journal.h"

#include "fuzz_folder.h"
#include "predict/collect/collect.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFolder folder;
  const auto text = takt::text_of(bytes, size);
  folder.holding("data.csv.jsonl", text);
  takt::may_refuse([&] {
    const auto journal = takt::read_collect_journals(folder.path() / "data.csv");
    if (!journal) return;
    const std::string csv = takt::dataset_csv(takt::collection_of(*journal).dataset);
    if (takt::dataset_csv(takt::parse_dataset(csv, "again")) != csv) std::abort();
  });
  takt::may_refuse([&] { takt::parse_collect_task(text); });
  return 0;
}
