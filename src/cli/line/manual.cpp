#include "cli/line/manual.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "base/system/version.h"
#include "cli/line/command_line.h"
#include "cli/line/commands.h"

namespace takt {
namespace {

struct ManualOptions {
  std::filesystem::path folder;
  LogOptions log;
};

CommandLine declare(ManualOptions& o) {
  CommandLine line("manual", "Writes man pages of all commands, takt.1 and others, into a folder, which is created.",
                   "takt manual ~/.local/share/man/man1", o.log);
  line.add({.names = "DIR", .meaning = "The folder", .required = true}, &o.folder);
  return line;
}

int run(ManualOptions& o, Arguments) {
  make_folders(o.folder);
  const auto pages = manual_pages(takt_commands(), options_of_takt(), version);
  for (const ManualPage& page : pages) write_file_atomically(o.folder / page.name, page.text);
  fmt::print("wrote {} man pages to {}\n", pages.size(), printable(o.folder.string()));
  return 0;
}

}  // namespace

constinit const Command manual_command = command<ManualOptions, declare, run>("manual", "");

}  // namespace takt
