// Long lists on disk: the record of a pipeline run of millions of batches, its trace and its account are many times
// what is looked at in one moment, and a machine that could run the pipeline should be able to account for it, too.
#pragma once

#include <cstddef>

namespace takt {

inline constexpr std::size_t spill_block_bytes = std::size_t{128} << 10,  // that is long
    spill_memory_bytes = std::size_t{6} << 20,                            // of blocks that stay in memory
    spill_resident_bytes = std::size_t{2} << 20;                          // of others that may be there for the moment

/// While one exists, blocks of `spill_block_bytes` and more that the program's `new` hands out (cli/spilled_new.cpp),
/// on any thread, lie in a file without a name that is mapped into memory, once there are `spill_memory_bytes` of them.
/// As soon as more than `spill_resident_bytes` of the file are in memory all of it leaves, and what is touched comes
/// back. Blocks keep their content and their place until they are deleted, also after the Spill. The file lies in
/// TMPDIR (/tmp), or in /var/tmp where that is memory itself.
///
/// Where no disk gives room (no such folder, a file system that cannot reserve space, a full disk, a limit on file
/// sizes), a block comes from memory as always. Not for what is measured: the first touch of a page there takes
/// microseconds. One at a time.
class Spill {
 public:
  Spill();
  ~Spill();
  Spill(const Spill&) = delete;
  Spill& operator=(const Spill&) = delete;

  /// Returns a block for `new`; nullptr if the caller must allocate it from memory. Thread-safe, like the next two.
  static void* take(std::size_t size);
  /// Releases a block of take(). Returns false, and does nothing, if take() did not return it.
  static bool give_back(void* block);
  /// Returns the size of all blocks that are in the file now.
  static std::size_t bytes_on_disk();
};

}  // namespace takt
