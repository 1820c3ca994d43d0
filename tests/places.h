// Where tests find files of the checkout, and what kind of build they test. Only places.cpp is compiled with the
// folders' names, so that a compiler cache serves every other test in another checkout, too.
#pragma once

#include <filesystem>

namespace takt {

std::filesystem::path source_dir();  ///< the checkout
std::filesystem::path sdk_dir();     ///< where tools/bootstrap put the SDKs

/// Whether takt was compiled with a sanitizer: it needs all the address space there is, and much of the time.
bool is_sanitized();

/// How many of `usual` random cases a test tries: all of them, a tenth under a sanitizer. Whether what takt says is
/// right shows in every build; what a sanitizer looks for does not wait for the thousandth case.
unsigned random_cases(unsigned usual);

/// Why a sanitizer's build skips a test: it asks how often takt is right over many draws, of which others of the same
/// file make one.
inline constexpr const char* only_more_cases = "the same code for many draws";

}  // namespace takt
