#include "model/runtime/cupti_library.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {

CuptiLibrary::CuptiLibrary(const std::string& path)
    : library_(open_library(path, {"libcupti.so.13", "libcupti.so.12", "libcupti.so"}, "NVIDIA's CUPTI")) {
  library_.get(error_text_, {"cuptiGetResultString"});
  library_.get(register_buffers, {"cuptiActivityRegisterCallbacks"});
  library_.get(enable, {"cuptiActivityEnable"});
  library_.get(disable, {"cuptiActivityDisable"});
  library_.get(flush, {"cuptiActivityFlushAll"});
  library_.get(next_record, {"cuptiActivityGetNextRecord"});
  register_clock = library_.find<int(Clock)>({"cuptiActivityRegisterTimestampCallback"});
}

void CuptiLibrary::check(int status, const char* what) const {
  if (status == 0) return;
  const char* said = nullptr;
  const bool known = error_text_(status, &said) == 0 && said;
  throw Error(ErrorKind::unsupported, fmt::format("{}: CUPTI reports {} ({})", what,
                                                  known ? printable(said) : std::string("an unknown error"), status));
}

}  // namespace takt
