#include "trace/write/trace_output.h"

#include <isa-l/igzip_lib.h>

#include <vector>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {

struct TraceOutput::State {
  explicit State(const std::filesystem::path& path)
      : file(path), is_compressed(lower_case(path.extension().string()) == ".gz") {
    if (!is_compressed) return;
    isal_deflate_init(&stream);
    stream.level = 1;
    stream.level_buf = level_buffer.data();
    stream.level_buf_size = static_cast<std::uint32_t>(level_buffer.size());
    stream.gzip_flag = IGZIP_GZIP;
  }

  void deflate(std::string_view bytes, bool end) {
    stream.next_in = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<std::uint32_t>(bytes.size());
    stream.end_of_stream = end;
    do {
      stream.next_out = reinterpret_cast<std::uint8_t*>(packed.data());
      stream.avail_out = static_cast<std::uint32_t>(packed.size());
      if (isal_deflate(&stream) != COMP_OK) throw Error(ErrorKind::io, "cannot compress the trace: igzip failed");
      file.append({packed.data(), packed.size() - stream.avail_out});
    } while (stream.avail_out == 0);
  }

  AtomicFile file;
  bool is_compressed;
  isal_zstream stream{};
  std::vector<std::uint8_t> level_buffer = std::vector<std::uint8_t>(ISAL_DEF_LVL1_DEFAULT);
  std::vector<char> packed = std::vector<char>(std::size_t{1} << 18);
};

TraceOutput::TraceOutput(const std::filesystem::path& path) : state_(std::make_unique<State>(path)) {}
TraceOutput::~TraceOutput() = default;

void TraceOutput::append(std::string_view bytes) {
  if (!state_->is_compressed) return state_->file.append(bytes);
  constexpr std::size_t most = std::size_t{1} << 30;  // the library counts in 32 bits
  for (; !bytes.empty(); bytes.remove_prefix(std::min(most, bytes.size()))) {
    state_->deflate(bytes.substr(0, most), false);
  }
}

void TraceOutput::commit() {
  if (state_->is_compressed) state_->deflate({}, true);
  state_->file.commit();
}

}  // namespace takt
