// The texts of the system's files, each kind in turn; the first byte chooses.
#include "predict/load/host_files.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const auto text = takt::text_of(bytes + 1, size - 1);
  takt::may_refuse([&] {
    switch (bytes[0] % 6) {
      case 0:
        takt::parse_processor_ticks(text, {});
        break;
      case 1:
        takt::parse_pressure(text);
        break;
      case 2:
        takt::parse_run_delay(text, {});
        break;
      case 3:
        takt::parse_load_average(text);
        break;
      case 4:
        takt::parse_available_bytes(text);
        break;
      default:
        takt::parse_thread_schedule(text);
    }
  });
  return 0;
}
