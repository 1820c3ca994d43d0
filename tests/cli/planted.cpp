// Planted by foreign_libraries_test.py under the names of other libraries: says in the file $TAKT_PLANTED that it was
// loaded, and from where.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace {

[[gnu::constructor]] void tell() {
  Dl_info place{};
  const char* file = std::getenv("TAKT_PLANTED");
  if (file == nullptr || dladdr(reinterpret_cast<const void*>(&tell), &place) == 0) return;
  if (std::FILE* list = std::fopen(file, "a")) {
    std::fprintf(list, "%s\n", place.dli_fname);
    std::fclose(list);
  }
}

}  // namespace
