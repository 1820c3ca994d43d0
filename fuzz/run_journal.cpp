// Journals of pipeline runs, as `takt pipeline analyze` reads and accounts them.
#include <string>

#include "block_input.h"
#include "pipeline/account/account.h"
#include "pipeline/record/run_journal.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string file = takt::file_of_blocks(takt::run_journal_magic(), takt::text_of(bytes, size));
  takt::may_refuse([&] { takt::to_text(takt::account(takt::parse_run_journal(file, "fuzz").run)); });
  return 0;
}
