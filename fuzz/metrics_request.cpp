// What somebody sends to the exporter.
#include "predict/sources/metrics_server.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto text = takt::text_of(bytes, size);
  const std::string answer = takt::answer_to(text, [] { return std::string("takt_x 1\n"); });
  if (answer.empty() != (text.find("\r\n\r\n") == text.npos && size < 8192)) std::abort();
  takt::may_refuse([&] { takt::parse_listen_address(text); });
  return 0;
}
