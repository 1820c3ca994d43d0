#include "trace/trace_file.h"

#include "core/text.h"
#include "trace/chrome_writer.h"
#include "trace/perfetto_writer.h"

namespace takt {

bool is_perfetto_name(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (lower_case(name.extension().string()) == ".gz") name = name.stem();
  const std::string extension = lower_case(name.extension().string());
  return extension == ".pftrace" || extension == ".perfetto-trace";
}

void write_trace(const Trace& trace, const std::filesystem::path& path) {
  if (is_perfetto_name(path))
    write_perfetto(trace, path);
  else
    write_chrome_trace(trace, path);
}

}  // namespace takt
