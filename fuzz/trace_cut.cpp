// Pieces of anyone's traces: what is cut out of the file, window by window, is what is cut out of the whole trace.
#include <cstdlib>

#include "fuzz_file.h"
#include "refused.h"
#include "trace/chrome/reader.h"
#include "trace/cut/file_piece.h"
#include "trace/write/chrome_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const takt::FuzzFile file;
  takt::may_refuse([&] {
    const std::string_view text = takt::text_of(bytes, size);
    takt::TraceReadSettings settings;
    settings.threads = 1;
    settings.window_bytes = 256;
    const takt::TraceRead whole = takt::parse_chrome_trace(text, "fuzz", settings);
    takt::PartWish wish;
    wish.from = takt::Nanoseconds(2000);
    wish.to = takt::Nanoseconds(40000);
    const takt::FilePiece found = takt::cut_file(file.holding(text), wish, {}, false, settings);
    const takt::TracePiece expected = takt::cut_trace(whole.trace, found.choice.part);
    // Of a damaged file what can be had depends on the windows.
    if (whole.faults.empty() && found.piece.trace.events().size() != expected.trace.events().size()) std::abort();
    takt::to_chrome_json(found.piece.trace);
  });
  return 0;
}
