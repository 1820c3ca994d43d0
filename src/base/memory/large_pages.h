// Large pages for lists of many megabytes: the first touch of memory costs more than what is written there when the
// system hands it out in pieces of 4 KB.
#pragma once

#include <cstddef>
#include <vector>

namespace takt {

/// Says that all of this memory will be written soon. A hint: where the system has no large pages nothing changes, and
/// pieces below some megabytes are left alone. Thread-safe.
void prefer_large_pages(const void* memory, std::size_t bytes);

/// vector::reserve() for a list that will be filled to that size.
template <typename Value>
void reserve_large(std::vector<Value>& list, std::size_t count) {
  list.reserve(count);
  prefer_large_pages(list.data(), list.capacity() * sizeof(Value));
}

}  // namespace takt
