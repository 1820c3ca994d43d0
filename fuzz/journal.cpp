// Journals, lines of JSON that may be torn anywhere: what is read while somebody writes is what the next writer finds,
// and what it adds is read behind it.
#include "base/files/journal.h"

#include <string>
#include <vector>

#include "fuzz_folder.h"
#include "refused.h"

namespace {

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  takt::read_journal(path, [&](const takt::JournalLine& line) { lines.emplace_back(line.text); });
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFolder folder;
  const auto path = folder.holding("journal.jsonl", takt::text_of(bytes, size));
  takt::may_refuse([&] {
    std::vector<std::string> lines = lines_of(path);
    {
      takt::Journal journal(path);
      if (lines_of(path) != lines) std::abort();
      journal.append(R"({"added": 1})");
    }
    lines.emplace_back(R"({"added": 1})");
    if (lines_of(path) != lines) std::abort();
  });
  return 0;
}
