// What every option of every command is: a table that a careless line in a command's file cannot slip through.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "cli/line/commands.h"
#include "cli/line/option.h"

namespace takt {
namespace {

void each_option(const std::function<void(const CommandDescription&, const Option&)>& look) {
  for (const CommandDescription& command : descriptions(takt_commands()))
    for (const Option& option : command.options) look(command, option);
}

bool has_word(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words)
    if (text.find(word) != std::string::npos) return true;
  return false;
}

TEST(Options, whose_value_is_called_a_file_or_a_folder_are_completed_as_one) {
  int files = 0;
  each_option([&](const CommandDescription& command, const Option& option) {
    const std::string what = option.positional() ? option.names : option.value;
    if (!has_word(what, {"FILE", "FOLDER", "PATH", "DIR"})) return;
    ++files;
    EXPECT_TRUE(option.names_a_file) << command.name << " " << option.names << " " << option.value;
  });
  EXPECT_GT(files, 60);
}

TEST(Options, without_a_value_name_no_file_and_have_no_range) {
  each_option([&](const CommandDescription& command, const Option& option) {
    EXPECT_FALSE(sentence(option).empty()) << command.name << " " << option.names;
    EXPECT_FALSE(option.meaning.ends_with('.')) << command.name << " " << option.names;
    if (option.positional() || !option.value.empty()) return;
    EXPECT_FALSE(option.names_a_file) << command.name << " " << option.names;
    EXPECT_FALSE(option.range) << command.name << " " << option.names;
    EXPECT_FALSE(option.required) << command.name << " " << option.names;
  });
}

/// Spellings of an idea that another spelling stands for in every command: they are accepted, and not listed.
const std::map<std::string, std::vector<std::string>> other_spellings{
    {"--iter", {"--iterations", "--runs", "--repeat", "--repeats", "--count"}},
    {"--warmup-iter", {"--warmup", "--warm-up", "--warmup-runs", "--warmup-iterations"}},
    {"--time", {"--for", "--duration", "--seconds"}},
    {"--timeout", {"--limit", "--time-limit", "--row-limit", "--deadline"}},
    {"--output", {"--output-file", "--to-file", "--write"}},
    {"--out", {"--output-dir", "--out-dir", "--folder", "--dir", "--directory"}},
    {"--save", {"--save-json", "--output-json", "--json"}},
    {"--instances", {"--thread", "--copies-of-model", "--workers"}},
    {"--devices", {"--device-list", "--units"}},
    {"--batch-size", {"--batch"}},
    {"--networks", {"--nets"}},
    {"--format", {"--output-format"}},
    {"--threshold", {"--tolerate"}},
};

// `takt analyze` has the spellings of its peer.
TEST(Options, of_one_name_take_the_same_value_in_every_command) {
  std::map<std::string, std::pair<std::string, std::string>> seen;  // name: value, and the command that has it
  each_option([&](const CommandDescription& command, const Option& option) {
    if (option.positional() || command.name == "analyze") return;
    const auto& [value, first] = seen.try_emplace(option.names, option.value, command.name).first->second;
    EXPECT_EQ(option.value, value) << option.names << " of " << command.name << " and of " << first;
  });
  EXPECT_GT(seen.size(), 100u);
}

TEST(Options, spell_one_idea_in_one_way) {
  const std::regex spelling("(-[a-z],)?--[a-z]+(-[a-z]+)*");
  const std::set<std::string> other_values{"SECONDS", "MS", "US",   "SHARE",  "RATIO",
                                           "X",       "E",  "TEXT", "FOLDER", "PATHS"};
  const std::set<std::string> points_in_time{"--from", "--to"};
  const std::set<std::string> folders{"--cache-dir", "--baseline", "--bin-io-dump", "--bin-out-dump"};
  each_option([&](const CommandDescription& command, const Option& option) {
    if (option.positional() || command.name == "analyze") return;
    const std::string where = command.name + " " + option.names;
    EXPECT_TRUE(std::regex_match(option.names, spelling)) << where;
    EXPECT_EQ(option.names.find("ized"), std::string::npos) << where;
    EXPECT_FALSE(other_values.contains(option.value)) << where << " " << option.value;
    EXPECT_EQ(option.value == "TIME", points_in_time.contains(option.name())) << where;
    EXPECT_EQ(option.names.starts_with("-o,"), option.name() == "--output") << where;
    EXPECT_TRUE(option.makes != Makes::folder || option.name() == "--out" || folders.contains(option.name())) << where;
    EXPECT_TRUE(option.name() != "--out" || option.value == "DIR") << where;
    for (const auto& [name, others] : other_spellings)
      EXPECT_EQ(std::count(others.begin(), others.end(), option.name()), 0) << where << " is spelled " << name;
  });
}

TEST(Options, keep_their_older_spellings_apart_from_the_others) {
  for (const CommandDescription& command : descriptions(takt_commands())) {
    std::set<std::string> spellings;
    for (const Option& option : command.options)
      for (const std::string& spelling : option.all_spellings())
        EXPECT_TRUE(spellings.insert(spelling).second) << command.name << " " << spelling;
  }
}

TEST(Options, that_write_a_file_are_known_to) {
  each_option([&](const CommandDescription& command, const Option& option) {
    if (option.names != "-o,--output") return;
    EXPECT_NE(option.makes, Makes::nothing) << command.name;
    EXPECT_TRUE(option.names_a_file) << command.name;
  });
}

}  // namespace
}  // namespace takt
