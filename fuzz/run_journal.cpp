// Journals of pipeline runs, as `takt pipeline analyze` reads and accounts them. The input is blocks without their
// check sums, which no fuzzer would guess: type (1 byte), size (2), bytes.
#include <algorithm>
#include <string>

#include "account/account.h"
#include "core/block_file.h"
#include "record/run_journal.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::string_view rest = takt::text_of(bytes, size);
  std::string file(takt::run_journal_magic());
  while (rest.size() >= 3) {
    const std::uint32_t type = static_cast<unsigned char>(rest[0]);
    const std::size_t length = static_cast<unsigned char>(rest[1]) + 256u * static_cast<unsigned char>(rest[2]);
    rest.remove_prefix(3);
    takt::append_block(file, type, rest.substr(0, length));
    rest.remove_prefix(std::min(length, rest.size()));
  }
  takt::may_refuse([&] { takt::to_text(takt::account(takt::parse_run_journal(file, "fuzz").run)); });
  return 0;
}
