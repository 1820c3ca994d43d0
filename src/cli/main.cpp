// The one place where errors and signals end: a line on stderr and an exit code.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/basics/crash.h"
#include "base/basics/error.h"
#include "base/basics/quoted.h"
#include "base/basics/text.h"
#include "base/files/sudden_end.h"
#include "base/files/temporary_folder.h"
#include "base/system/interrupt.h"
#include "base/system/log.h"
#include "base/system/shared_library.h"
#include "base/system/watched_work.h"
#include "cli/line/commands.h"
#include "cli/line/given_file.h"

namespace {

/// What was given on the command line may be of any length; the sentence about it is not.
int fail(int code, const char* message) {
  const std::string sentence = takt::without_middle(message, 1000);
  std::fflush(stdout);
  takt::log_failure(sentence.c_str());
  std::fprintf(stderr, "takt: %s\n", sentence.c_str());
  return code;
}

int run(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    takt::leave_out_relative_library_folders(argv);
    takt::end_by_signals();
    int code = takt::run_command_line(arguments);
    // A full disk or a closed pipe shows only when the buffer is written out.
    if (std::fflush(stdout) != 0 || std::ferror(stdout)) return fail(1, "cannot write the result to standard output");
    return code;
  } catch (const takt::UsageError& error) {
    return fail(2, error.what());
  } catch (const takt::Inconclusive& error) {
    return fail(3, error.what());
  } catch (const takt::Error& error) {
    const bool is_refused = error.kind() == takt::ErrorKind::bad_input || error.kind() == takt::ErrorKind::unsupported;
    const std::string use = is_refused ? takt::other_use(error.what(), arguments) : "";
    return fail(1, (error.what() + use + takt::full_temporary_folder()).c_str());
  } catch (const std::bad_alloc&) {
    return fail(1, "out of memory; the file or the shapes may be too big for this machine");
  } catch (const std::exception& error) {
    return fail(1, error.what());
  } catch (...) {
    return fail(1, "a library threw something that is not a C++ exception; try another runtime");
  }
}

}  // namespace

int main(int argc, char** argv) {
  takt::tell_crashes();
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of a write, as a full disk is
  const int code = takt::exit_code(run(argc, argv));
  if (takt::has_abandoned_work()) takt::end_suddenly(code);  // an ordinary end would wait for it
  return code;
}
