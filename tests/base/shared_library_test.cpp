#include "base/system/shared_library.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/basics/error.h"
#include "refused.h"

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

TEST(SharedLibrary, a_path_is_taken_from_the_working_directory_on) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(refusal_of({"./sub/../none.so"}, "x").rfind("cannot be loaded (" + here + "/none.so: ", 0), 0u);
}

TEST(OpenLibrary, takes_the_given_path_alone_or_else_the_usual_names) {
  const auto refusal = [](const std::string& path, const std::vector<std::string>& usual) {
    return refused_with([&] { open_library(path, usual, "The maths"); });
  };
  EXPECT_EQ(refusal("", {"libm.so.6"}), "accepted");
  EXPECT_EQ(refusal("libm.so.6", {"libnone.so"}), "accepted");
  EXPECT_EQ(refusal("/none.so", {"libm.so.6"}).rfind("The maths cannot be loaded (/none.so: ", 0), 0u);
  EXPECT_EQ(refusal("", {"libnone.so"}).rfind("The maths cannot be loaded (libnone.so: ", 0), 0u);
}

TEST(SharedLibrary, of_several_usual_names_the_first_is_the_one_to_install) {
  const std::string refusal = refusal_of({"libfirst-none.so.1", "libsecond-none.so", "libthird-none.so"}, "x");
  EXPECT_EQ(refusal.rfind("cannot be loaded (libfirst-none.so.1: ", 0), 0u) << refusal;
  EXPECT_EQ(refusal.find("libsecond-none"), refusal.npos) << refusal;
  EXPECT_EQ(refusal.find("libthird-none"), refusal.npos) << refusal;
}

}  // namespace
}  // namespace takt
