// Files of recorders, read as after a crash and made a trace of.
#include <string>

#include "block_input.h"
#include "refused.h"
#include "trace/recorder/recording_file.h"
#include "trace/write/chrome_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string file = takt::file_of_blocks(takt::recording_magic(), takt::text_of(bytes, size));
  takt::may_refuse([&] { takt::to_chrome_json(takt::to_trace(takt::parse_recording(file, "fuzz"))); });
  return 0;
}
