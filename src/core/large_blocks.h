// Where a program's large blocks of memory lie: the lists that grow with what it was given to work on. A command that
// may be given more than should stay resident says so once, and every list of it is on a disk from then on
// (disk_memory.h), whoever made it.
//
// It works in programs whose operator new asks here (takt's own: cli/large_blocks_new.cpp); in others, as in a program
// that uses takt as a library, memory is left alone.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace takt {

/// From now on, once some megabytes are in use, blocks of 128 KiB and more lie in a file in the first of these folders
/// that is on a disk, until the program ends. Where none is, where the disk is full, and when it was said before,
/// nothing changes. Not thread-safe with itself. Costs walks over such lists up to a few percent.
void keep_large_blocks_on_disk(std::span<const std::filesystem::path> folders);

/// Folders for it, best first: `own` (beside what the command writes), if it is not empty, and those for temporary
/// files.
std::vector<std::filesystem::path> folders_for_large_blocks(const std::filesystem::path& own = {});

/// For operator new: a block on the disk, or nullptr where it belongs elsewhere. Thread-safe.
void* new_large_block(std::size_t bytes) noexcept;
/// For operator delete: false, and nothing was done, if this is no block of new_large_block(). Thread-safe.
bool free_large_block(void* block) noexcept;

}  // namespace takt
