// Checks of what only a mistake in takt itself can break, so that a table that does not add up is never printed.
//
// A failed check ends the program with file, line and condition on stderr, by abort(): there is nothing to go on with,
// and a core dump shows more than an exception that was caught far away. It is the one thing in the library that prints
// and aborts, so a condition must never hang on input: what a file or a user can make false throws takt::Error.
#pragma once

// Every build, release too: for conditions that cost nothing beside what was done to come to them.
#define TAKT_CHECK(condition) \
  (static_cast<bool>(condition) ? static_cast<void>(0) : ::takt::check_failed(#condition, __FILE__, __LINE__))

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAKT_CHECKS_ARE_CHEAP 1
#endif
#endif
#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAKT_CHECKS_ARE_CHEAP 1
#endif

// Debug builds and sanitizers (so: the tests), for conditions in hot loops and those that take a walk of their own. The
// condition is compiled everywhere, and not evaluated in a release build.
#ifdef TAKT_CHECKS_ARE_CHEAP
#define TAKT_DCHECK(condition) TAKT_CHECK(condition)
#else
#define TAKT_DCHECK(condition) static_cast<void>(sizeof(static_cast<bool>(condition)))
#endif

namespace takt {

[[noreturn, gnu::cold]] void check_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace takt
