// The file that a Recorder writes as it goes: takt's own, appended to and never rewritten, so that a program that is
// killed leaves what it had. Block by block: who recorded, then in turn new names, rows and threads, records as they
// lie in memory, pairs of clock readings, what was dropped; at last that it ended.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/files/block_file.h"
#include "trace/recorder/recording.h"

namespace takt {

/// Not thread-safe.
class RecordingFile {
 public:
  /// Throws as BlockWriter does.
  RecordingFile(const std::filesystem::path& path, const std::string& process, Nanoseconds wall, Nanoseconds steady);

  /// Each stands in the file after flush().
  void add_row(std::string_view name);
  void name_thread(std::uint32_t thread, std::string_view name);  ///< also makes it known
  void add_records(std::uint32_t thread, const recording::Record* records, std::size_t count, std::uint64_t events);
  bool has_news() const { return writer_.is_pending(); }  ///< since the last flush()
  /// What is known at the end of one collection. Throws Error(io) and then keeps what it had before.
  void flush(TickAnchor anchor, const RecordedDrops& dropped);
  /// Nothing follows. Throws Error(io).
  void end();
  const std::filesystem::path& path() const { return writer_.path(); }

 private:
  BlockWriter writer_;
  std::size_t names_ = 0;  ///< that are in the file
};

/// What such files begin with.
std::string_view recording_magic();
std::string_view recording_family();  ///< in every version
bool is_recording(const std::filesystem::path& path);

/// What the file has, up to where it is whole, also while somebody still writes it. Throws Error(io), and
/// Error(bad_input) for a file of another kind or version, or one that ends before it says who recorded.
Recording read_recording(const std::filesystem::path& path);
/// The same of bytes in memory.
Recording parse_recording(std::string_view bytes, const std::string& name);

}  // namespace takt
