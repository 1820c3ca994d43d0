// What every option of every command is: a table that a careless line in a command's file cannot slip through.
#include <gtest/gtest.h>

#include <functional>
#include <string>

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

TEST(Options, that_write_a_file_are_known_to) {
  each_option([&](const CommandDescription& command, const Option& option) {
    if (option.names != "-o,--output") return;
    EXPECT_NE(option.makes, Makes::nothing) << command.name;
    EXPECT_TRUE(option.names_a_file) << command.name;
  });
}

}  // namespace
}  // namespace takt
