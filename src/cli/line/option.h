// An option of a command as data: what it is called, what it means, which values it takes. Help (command_help.h),
// completions (completion.h) and man pages (manual.h) are made from it; command_line.h binds it to a variable.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace takt {

enum class Takes {
  nothing,       ///< a flag
  word,          ///< one value
  maybe_a_word,  ///< one value or none
  words,         ///< one value each time it is given; a positional one takes all words
};

/// What is made at the path that an option names; no file is both made and read (command_files.h).
enum class Makes {
  nothing,
  file,
  folder,
  unasked_file,  ///< may be appended to, or its folder is created later, so it is not checked in advance
};

/// Both ends are included. Of an option with the placeholder PERCENT they are shares, as its variable is: 1 is 100%.
struct NumberRange {
  double low = 0, high = 0;
};

struct Option {
  std::string names = {};                 ///< "-o,--output"; without dashes it is positional: "MODEL"
  std::string older = {};                 ///< "--runs,--iterations": accepted, and shown nowhere
  std::string value = {};                 ///< the placeholder of the value in the help: "FILE"; empty for a flag
  std::string meaning = {};               ///< why one would use it: a sentence without its full stop
  std::string fallback = {};              ///< what holds without the option; the help calls it "Default"
  std::optional<NumberRange> range = {};  ///< of numbers; others are refused
  std::vector<std::string> one_of = {};   ///< the only values, case-insensitive; others are refused
  std::vector<std::string> offered = {};  ///< values that a shell completes, where others are possible, too
  bool required = false;
  bool may_stand_alone = false;  ///< the value may be left out
  bool names_a_file = false;     ///< a shell completes file names; set for paths anyway
  Makes makes = Makes::nothing;  ///< checked before any work is done
  std::string beside = {};       ///< for an output file: the suffix of its journal's name
  Takes takes = Takes::word;     ///< follows from the variable, see CommandLine::add
  std::string group = {};        ///< the heading above it in the help; empty: "Options"

  bool positional() const { return !names.starts_with('-'); }
  std::vector<std::string> spellings() const;      ///< {"-o", "--output"}
  std::vector<std::string> all_spellings() const;  ///< the older ones, too
  std::string name() const;                        ///< as messages call it: "--output", "MODEL"
};

/// A command as people see it.
struct CommandDescription {
  std::string name, summary, example;  ///< "trace info"; one or more sentences; a whole command line
  std::vector<Option> options;         ///< in the order of the help
};

/// "a, b or c".
std::string one_of(const std::vector<std::string>& words);

/// What the help says of an option: its meaning, the values it takes, and the default.
std::string sentence(const Option& option);

/// "-o, --output FILE", "--simulate [virtual|real]", "FILE...".
std::string heading_of(const Option& option);

/// The spellings that `word` may have been meant for, best first, none for single letters: those that begin with it
/// (--batch), else the longest that it begins with (--iterations), else the nearest one (--iterr).
std::vector<std::string> meant_options(const std::string& word, const std::vector<std::string>& spellings);

}  // namespace takt
