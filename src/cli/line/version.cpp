#include "cli/line/version.h"

#include <fmt/format.h>

#include "base/system/version.h"
#include "model/runtime/runtime.h"

namespace takt {

std::string version_text() {
  std::string text = fmt::format("takt {}\n", version);
  if (*commit) text += fmt::format("commit    {}\n", commit);
  text += fmt::format("build     {}{}{}\n", build_type, *sanitizers ? ", " : "", sanitizers);
  return text + fmt::format("runtimes  {}\n", fmt::join(runtime_names(), ", "));
}

}  // namespace takt
