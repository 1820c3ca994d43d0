// models.jsonl: what is read of each model can be written, and read again.
#include "plan/sweep/export_journal.h"

#include "fuzz_folder.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFolder folder;
  takt::may_refuse([&] {
    const auto records = takt::read_export_journal(folder.holding("models.jsonl", takt::text_of(bytes, size)));
    std::string lines;
    for (const auto& [model, record] : records) lines += takt::export_line(model, record) + "\n";
    const auto again = takt::read_export_journal(folder.holding("again.jsonl", lines));
    if (again.size() != records.size()) std::abort();
    for (const auto& [model, record] : records)
      if (again.at(model).converter != record.converter || again.at(model).files != record.files) std::abort();
  });
  return 0;
}
