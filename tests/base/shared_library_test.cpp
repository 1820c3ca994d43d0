#include "base/system/shared_library.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"

namespace takt {
namespace {

std::string refusal_of(const std::vector<std::string>& names, const char* function) {
  try {
    const SharedLibrary library(names);
    int (*found)() = nullptr;
    library.get(found, {function});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::unsupported);
    return error.what();
  }
  return "accepted";
}

TEST(SharedLibrary, the_first_that_is_there_is_taken) {
  const SharedLibrary library({"libthere-is-none.so.1", "libm.so.6"});
  EXPECT_EQ(library.name(), "libm.so.6");
  double (*cosine)(double) = nullptr;
  library.get(cosine, {"takt_has_no_such_function", "cos"});
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(library.find<int()>({"takt_has_no_such_function"}), nullptr);
}

TEST(SharedLibrary, what_is_missing_is_named) {
  EXPECT_EQ(refusal_of({"libthere-is-none.so.1"}, "x").rfind("cannot be loaded (libthere-is-none.so.1: ", 0), 0u);
  EXPECT_EQ(
      refusal_of({"libm.so.6"}, "takt_has_no_such_function"),
      "'libm.so.6' does not have the function takt_has_no_such_function; it is another version or another library");
}

TEST(SharedLibrary, of_several_usual_names_the_first_is_the_one_to_install) {
  const std::string refusal = refusal_of({"libfirst-none.so.1", "libsecond-none.so", "libthird-none.so"}, "x");
  EXPECT_EQ(refusal.rfind("cannot be loaded (libfirst-none.so.1: ", 0), 0u) << refusal;
  EXPECT_EQ(refusal.find("libsecond-none"), refusal.npos) << refusal;
  EXPECT_EQ(refusal.find("libthird-none"), refusal.npos) << refusal;
}

}  // namespace
}  // namespace takt
