#include "cli/manual.h"

#include <fmt/format.h>

#include "cli/line/command_line.h"
#include "cli/commands.h"
#include "base/basics/error.h"
#include "base/files/file.h"
#include "base/basics/text.h"
#include "core/version.h"

namespace takt {
namespace {

struct ManualOptions {
  std::filesystem::path folder;
  LogOptions log;
};

CommandLine declare(ManualOptions& o) {
  CommandLine line("manual", "Writes man pages of all commands, takt.1 and others, into a folder, which is made.",
                   "takt manual ~/.local/share/man/man1", o.log);
  line.add({.names = "DIR", .meaning = "The folder", .required = true}, &o.folder);
  return line;
}

}  // namespace

int run_manual(std::span<const std::string> arguments) {
  ManualOptions o;
  if (!declare(o).parse(arguments)) return 0;
  make_folders(o.folder);
  const auto pages = manual_pages(takt_commands(), version);
  for (const ManualPage& page : pages) write_file_atomically(o.folder / page.name, page.text);
  fmt::print("wrote {} man pages to {}\n", pages.size(), printable(o.folder.string()));
  return 0;
}

}  // namespace takt
