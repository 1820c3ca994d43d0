// Lists of edges, one per line.
#include "plan/gnn/edge_list.h"
#include "refused.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  takt::may_refuse([&] { takt::parse_edge_list(takt::text_of(bytes, size), "fuzz"); });
  return 0;
}
