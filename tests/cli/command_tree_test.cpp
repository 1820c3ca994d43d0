// The tree of commands: help, the way to a command inside, refusals; and what is made of them for shells and man pages.
#include "cli/line/command_tree.h"

#include <gtest/gtest.h>

#include "base/basics/error.h"
#include "base/system/child_process.h"
#include "cli/line/completion.h"
#include "cli/line/manual.h"

namespace takt {
namespace {

int run_inner(std::span<const std::string> words) { return 10 + static_cast<int>(words.size()); }
int run_outer(std::span<const std::string> words) { return 20 + static_cast<int>(words.size()); }

CommandDescription describe_inner() {
  return {
      "box pack",
      "Packs a box.",
      "takt box pack it's",
      {{.names = "FILE", .meaning = "What is packed", .required = true, .names_a_file = true, .takes = Takes::words},
       {.names = "-o,--output", .value = "FILE", .meaning = "The box [a:b]", .names_a_file = true, .group = "Out"},
       {.names = "--shape", .value = "WORD", .meaning = "Its shape", .one_of = {"flat", "tall"}},
       {.names = "--into", .value = "DIR", .meaning = "Where", .names_a_file = true, .takes = Takes::words},
       {.names = "--try",
        .value = "[HOW]",
        .meaning = "Only try",
        .offered = {"once", "twice"},
        .takes = Takes::maybe_a_word},
       {.names = "--depth", .value = "N", .meaning = "Its depth", .fallback = "3", .range = NumberRange{1, 9}},
       {.names = "--all", .meaning = "All of it", .takes = Takes::nothing}}};
}
CommandDescription describe_outer() { return {"open", "Opens.", "takt open", {}}; }
CommandDescription describe_seal() {
  return {"seal", "Seals.", "takt seal a", {{.names = "--wax", .meaning = "Hot", .takes = Takes::nothing}}};
}

constexpr Command open_one{"open", "open what is closed", run_outer, describe_outer};
constexpr Command pack_one{"box pack", "fill a box", run_inner, describe_inner};
constexpr Command paint_one{"box paint", "give it a colour", run_inner, describe_outer};
constexpr Command parts_one{"box parts", "", run_inner};
constexpr Command seal_one{"seal", "close for good", run_outer, describe_seal};
constexpr Command break_one{"seal break", "open all the same", run_inner, describe_outer};
constexpr Command hidden_one{"hidden", "", run_outer};
constexpr Command inside_one{"within one", "", run_inner};
constexpr ListedCommand boxes_commands[] = {
    {&open_one, "Boxes?"}, {&pack_one, "Boxes?"},  {&paint_one, "Boxes?"},  {&parts_one, "Boxes?"},
    {&seal_one, "Seals?"}, {&break_one, "Seals?"}, {&hidden_one, "Seals?"}, {&inside_one, "Seals?"},
};
constexpr CommandGroup boxes_groups[] = {{"box", "boxes of all kinds", "Boxes.", "takt box pack a"}};
constexpr PlainOption boxes_options[] = {{"--version", "Say which"}};

CommandTree boxes() {
  CommandTree tree = tree_of(boxes_commands, boxes_groups);
  tree.title = "takt: packs", tree.example = "takt open";
  return tree;
}

int dispatched(const std::vector<std::string>& words, std::string& printed) {
  testing::internal::CaptureStdout();
  const int code = dispatch(boxes(), words);
  printed = testing::internal::GetCapturedStdout();
  return code;
}

std::string tree_refusal(const std::vector<std::string>& words) {
  try {
    dispatch(boxes(), words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

const std::string boxes_list =
    "takt: packs\n\nUsage: takt COMMAND [options]\n\nBoxes?\n  open  open what is closed\n  box   boxes of all "
    "kinds\n\n"
    "Seals?\n  seal  close for good\n\nOptions:\n  -h, --help  Show this text; 'takt COMMAND --help' shows its "
    "options\n";
const std::string box_help =
    "Boxes.\n\nUsage: takt box COMMAND [options]\n\nCommands:\n  pack   fill a box\n  paint  give it a colour\n\n"
    "Options:\n  -h, --help  Show this text; 'takt box COMMAND --help' shows its options\n\nExample:\n"
    "  takt box pack a\n";

TEST(CommandTree, without_a_word_is_an_error_that_shows_the_help) {
  std::string printed;
  EXPECT_EQ(dispatched({}, printed), 2);
  EXPECT_EQ(printed, boxes_list + "\nExample:\n  takt open\n");
  EXPECT_EQ(dispatched({"--help"}, printed), 0);
  EXPECT_EQ(printed, boxes_list + "\nExample:\n  takt open\n");
  EXPECT_EQ(dispatched({"box"}, printed), 2);
  EXPECT_EQ(printed, box_help);
  EXPECT_EQ(dispatched({"box", "--help"}, printed), 0);
  EXPECT_EQ(printed, box_help);
  EXPECT_EQ(dispatched({"box", "-h"}, printed), 0);
  EXPECT_EQ(printed, box_help);
}

TEST(CommandTree, shows_options_of_its_own_and_last_lines) {
  EXPECT_EQ(help_of(boxes(), boxes_options, "the end\n"),
            boxes_list + "  --version   Say which\n\nExample:\n  takt open\nthe end\n");
}

TEST(CommandTree, hands_the_words_behind_its_name_to_a_command) {
  std::string printed;
  EXPECT_EQ(dispatched({"open"}, printed), 20);
  EXPECT_EQ(dispatched({"open", "a", "b"}, printed), 22);
  EXPECT_EQ(dispatched({"hidden", "a"}, printed), 21);
  EXPECT_EQ(dispatched({"within", "one", "a"}, printed), 11);
  EXPECT_EQ(dispatched({"box", "pack", "a"}, printed), 11);
  EXPECT_EQ(dispatched({"box", "parts"}, printed), 10);
  EXPECT_EQ(printed, "");
}

TEST(CommandTree, has_commands_that_others_begin_with) {
  std::string printed;
  EXPECT_EQ(dispatched({"seal"}, printed), 20);
  EXPECT_EQ(dispatched({"seal", "breaks"}, printed), 21);
  EXPECT_EQ(dispatched({"seal", "break"}, printed), 10);
  EXPECT_EQ(printed, "");
  EXPECT_EQ(dispatched({"seal", "--help"}, printed), 21) << "the command prints its own help";
  EXPECT_EQ(printed, "\nCommands:\n  break  open all the same\n");
}

TEST(CommandTree, names_what_may_have_been_meant) {
  EXPECT_EQ(tree_refusal({"opne"}), "'opne' is not a command; did you mean 'open'?");
  EXPECT_EQ(tree_refusal({"bo"}), "'bo' is not a command; did you mean 'box'?");
  EXPECT_EQ(tree_refusal({"box", "pa"}), "'pa' is not a command of 'takt box'; did you mean 'pack' or 'paint'?");
  EXPECT_EQ(tree_refusal({"box", "p"}), "'p' is not a command of 'takt box'; see 'takt box --help'");
  EXPECT_EQ(tree_refusal({"pack", "a"}), "'pack' is not a command; did you mean 'takt box pack'?");
  EXPECT_EQ(tree_refusal({"break"}), "'break' is not a command; did you mean 'takt seal break'?");
  EXPECT_EQ(tree_refusal({"--vresion"}), "'--vresion' is not a command; did you mean '--version'?");
  EXPECT_EQ(tree_refusal({"--hlep"}), "'--hlep' is not a command; did you mean '--help'?");
  EXPECT_EQ(tree_refusal({"hiddne"}), "'hiddne' is not a command; see 'takt --help'");
  EXPECT_EQ(tree_refusal({"within"}), "'within' is not a command; see 'takt --help'");
}

TEST(CommandTree, describes_what_it_lists_with_what_is_inside) {
  std::vector<std::string> names;
  for (const auto& command : descriptions(boxes())) names.push_back(command.name);
  EXPECT_EQ(names, (std::vector<std::string>{"open", "box pack", "open", "seal", "open"}));
  EXPECT_EQ(listed_words(boxes()), "open box seal");
  EXPECT_EQ(listed_words(boxes().parts[1]), "pack paint");
}

TEST(CommandTree, starts_a_command_as_a_process_of_its_own) {
  EXPECT_EQ(words_of(pack_one), (std::vector<std::string>{path_of_this_program(), "box", "pack"}));
}

TEST(Completion, of_a_value_is_its_words_else_folders_else_files) {
  using By = Completed::By;
  const auto told = [](const Option& option) { return std::pair(completed(option).by, completed(option).words); };
  using Words = std::vector<std::string>;
  EXPECT_EQ(told({.names = "-a", .value = "DIR", .one_of = {"x"}, .offered = {"y"}}), std::pair(By::words, Words{"x"}));
  EXPECT_EQ(told({.names = "-a", .value = "DIR", .offered = {"y", "z"}}), std::pair(By::words, (Words{"y", "z"})));
  EXPECT_EQ(told({.names = "-a", .value = "DIR", .names_a_file = true}), std::pair(By::folders, Words{}));
  EXPECT_EQ(told({.names = "-a", .value = "FILE", .names_a_file = true}), std::pair(By::files, Words{}));
  EXPECT_EQ(told({.names = "-a", .value = "N"}), std::pair(By::nothing, Words{}));
  EXPECT_EQ(shell_quoted("it's 'so'"), R"('it'\''s '\''so'\''')");
}

/// What follows `from` in `text`, with it.
std::string rest_from(const std::string& text, const std::string& from) {
  const auto at = text.find(from);
  return at == std::string::npos ? "no " + from + " in " + text : text.substr(at);
}

TEST(Completion, of_bash_knows_commands_options_and_values) {
  EXPECT_EQ(rest_from(bash_completion(boxes(), boxes_options), "  if ((COMP_CWORD == 1))"),
            R"(  if ((COMP_CWORD == 1)); then
    _takt_words 'open box seal --help --version'
    return
  fi
  case $command in
    box)
      if ((COMP_CWORD == 2)); then
        _takt_words 'pack paint --help'
        return
      fi
      case ${COMP_WORDS[2]} in
        pack|paint) command+=" ${COMP_WORDS[2]}" ;;
      esac ;;
    seal)
      if ((COMP_CWORD == 2)); then
        _takt_words 'break'
        ((${#COMPREPLY[@]})) && return
      fi
      case ${COMP_WORDS[2]} in
        break) command+=" ${COMP_WORDS[2]}" ;;
      esac ;;
  esac
  case $command in
    'open')
      if [[ $word == -* ]]; then
        _takt_words ''
      fi ;;
    'box pack')
      case $before in
        -o|--output) _takt_files; return ;;
        --shape) _takt_words 'flat tall'; return ;;
        --into) _takt_folders; return ;;
        --try) _takt_words 'once twice'; return ;;
        --depth) :; return ;;
      esac
      if [[ $word == -* ]]; then
        _takt_words '-o --output --shape --into --try --depth --all'
      else
        _takt_files
      fi ;;
    'open')
      if [[ $word == -* ]]; then
        _takt_words ''
      fi ;;
    'seal')
      if [[ $word == -* ]]; then
        _takt_words '--wax'
      fi ;;
    'open')
      if [[ $word == -* ]]; then
        _takt_words ''
      fi ;;
  esac
}

complete -F _takt takt
)");
}

TEST(Completion, of_fish_knows_commands_options_and_values) {
  EXPECT_EQ(rest_from(fish_completion(boxes(), boxes_options), "complete -c takt -n '__takt_after' -a open"),
            R"(complete -c takt -n '__takt_after' -a open -d 'open what is closed'
complete -c takt -n '__takt_after' -a box -d 'boxes of all kinds'
complete -c takt -n '__takt_after box' -a pack -d 'fill a box'
complete -c takt -n '__takt_after box' -a paint -d 'give it a colour'
complete -c takt -n '__takt_after' -a seal -d 'close for good'
complete -c takt -n '__takt_after seal' -a break -d 'open all the same'
complete -c takt -n __takt_after -l help -d 'Show the list of commands'
complete -c takt -n __takt_after -l version -d 'Say which'
complete -c takt -n '__takt_in box pack' -F
complete -c takt -n '__takt_in box pack' -s o -l output -d 'The box [a:b]' -r -F
complete -c takt -n '__takt_in box pack' -l shape -d 'Its shape: flat or tall' -x -a 'flat tall'
complete -c takt -n '__takt_in box pack' -l into -d 'Where' -x -a '(__fish_complete_directories)'
complete -c takt -n '__takt_in box pack' -l try -d 'Only try' -a 'once twice'
complete -c takt -n '__takt_in box pack' -l depth -d 'Its depth (1 to 9). Default: 3' -x
complete -c takt -n '__takt_in box pack' -l all -d 'All of it'
complete -c takt -n '__takt_in seal; and not __takt_in seal break' -l wax -d 'Hot'
)");
}

TEST(Completion, of_zsh_knows_commands_options_and_values) {
  EXPECT_EQ(rest_from(zsh_completion(boxes()), "_takt() {"),
            R"(_takt() {
  if ((CURRENT == 2)); then
    local -a commands=(
      'open:open what is closed'
      'box:boxes of all kinds'
      'seal:close for good'
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  if [[ $command == box ]]; then
    if ((CURRENT > 3)); then
      case $words[3] in
        pack|paint) command+=" $words[3]"; shift words; ((CURRENT--)) ;;
      esac
    else
    local -a commands=(
      'pack:fill a box'
      'paint:give it a colour'
    )
    _describe command commands
    return
    fi
  fi
  if [[ $command == seal ]]; then
    if ((CURRENT > 3)); then
      case $words[3] in
        break) command+=" $words[3]"; shift words; ((CURRENT--)) ;;
      esac
    else
    local -a commands=(
      'break:open all the same'
    )
    _describe command commands
    fi
  fi
  shift words
  ((CURRENT--))
  case $command in
    'open')
      _arguments -s ;;
    'box pack')
      _arguments -s \
        '*:FILE:_files' \
        '(-o --output)-o[The box \[a\:b\]]:FILE:_files' \
        '(-o --output)--output=[The box \[a\:b\]]:FILE:_files' \
        '(--shape)--shape=[Its shape\: flat or tall]:WORD:(flat tall)' \
        '*--into=[Where]:DIR:_files -/' \
        '(--try)--try=[Only try]::\[HOW\]:(once twice)' \
        '(--depth)--depth=[Its depth (1 to 9). Default\: 3]:N:' \
        '(--all)--all[All of it]' ;;
    'open')
      _arguments -s ;;
    'seal')
      _arguments -s \
        '(--wax)--wax[Hot]' ;;
    'open')
      _arguments -s ;;
  esac
}

if [[ $funcstack[1] == _takt ]]; then
  _takt "$@"
else
  compdef _takt takt
fi
)");
}

const std::string exit_status =
    ".SH EXIT STATUS\n0: done. 1: failed; one line on standard error says why. 2: wrong command line. 3: inconclusive "
    "(compare). 130, 143, 129: stopped by Ctrl-C, SIGTERM or SIGHUP.\n";

TEST(Manual, has_a_page_for_takt_each_group_and_each_command) {
  const auto pages = manual_pages(boxes(), boxes_options, "1.2-3");
  std::vector<std::string> names;
  for (const ManualPage& page : pages) names.push_back(page.name);
  ASSERT_EQ(names, (std::vector<std::string>{"takt.1", "takt-open.1", "takt-box.1", "takt-box-pack.1", "takt-open.1",
                                             "takt-seal.1", "takt-open.1"}));
  EXPECT_EQ(pages[0].text,
            ".TH \"TAKT\" 1 \"\" \"takt 1.2\\-3\" \"takt\"\n.nh\n.ad l\n.SH NAME\ntakt \\- packs\n"
            ".SH SYNOPSIS\n.B takt COMMAND [options]\n.SH COMMANDS\n.SS \"Boxes?\"\n"
            ".TP\n\\fBopen\\fR\nopen what is closed\n.TP\n\\fBbox\\fR\nboxes of all kinds\n"
            ".SS \"Seals?\"\n.TP\n\\fBseal\\fR\nclose for good\n"
            ".SH OPTIONS\n.TP\n\\fB\\-h, \\-\\-help\\fR\nShow the list of commands.\n"
            ".TP\n\\fB\\-\\-version\\fR\nSay which.\n" +
                exit_status + ".SH EXAMPLE\n.nf\ntakt open\n.fi\n.SH SEE ALSO\n.BR takt\\-run (1)\n");
  EXPECT_EQ(pages[3].text,
            ".TH \"TAKT\\-BOX\\-PACK\" 1 \"\" \"takt 1.2\\-3\" \"takt\"\n.nh\n.ad l\n.SH NAME\ntakt\\-box\\-pack \\- "
            "fill a box\n"
            ".SH SYNOPSIS\n.B takt box pack FILE... [options]\n.SH DESCRIPTION\nPacks a box.\n"
            ".SH \"ARGUMENTS\"\n.TP\n\\fIFILE...\\fR\nWhat is packed.\n"
            ".SH \"OUT\"\n.TP\n\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIFILE\\fR\nThe box [a:b].\n"
            ".SH \"OPTIONS\"\n.TP\n\\fB\\-\\-shape\\fR \\fIWORD\\fR\nIts shape: flat or tall.\n"
            ".TP\n\\fB\\-\\-into\\fR \\fIDIR\\fR\nWhere.\n"
            ".TP\n\\fB\\-\\-try\\fR \\fI[HOW]\\fR\nOnly try.\n"
            ".TP\n\\fB\\-\\-depth\\fR \\fIN\\fR\nIts depth (1 to 9). Default: 3.\n"
            ".TP\n\\fB\\-\\-all\\fR\nAll of it.\n" +
                exit_status + ".SH EXAMPLE\n.nf\ntakt box pack it\\(aqs\n.fi\n.SH SEE ALSO\n.BR takt\\-box (1)\n");
}

TEST(Manual, names_the_commands_that_begin_with_it) {
  const auto pages = manual_pages(boxes(), {}, "1");
  EXPECT_EQ(rest_from(pages[5].text, ".SH SEE ALSO"), ".SH SEE ALSO\n.BR takt (1),\n.BR takt\\-seal\\-break (1)\n");
  EXPECT_EQ(rest_from(pages[6].text, ".SH SEE ALSO"), ".SH SEE ALSO\n.BR takt\\-seal (1)\n");
}

TEST(Manual, escapes_what_roff_would_read) {
  constexpr static Command command{"g a", ".b 'c' \\d~e^f", run_inner, describe_outer};
  constexpr static ListedCommand commands[] = {{&command, ""}};
  constexpr static CommandGroup groups[] = {{"g", "s", "'q", "e"}};
  CommandTree tree = tree_of(commands, groups);
  tree.title = "takt: t";
  const auto pages = manual_pages(tree, {}, "1");
  EXPECT_NE(pages[1].text.find("\n\\&.b \\(aqc\\(aq \\ed\\(tie\\(haf\n"), std::string::npos) << pages[1].text;
  EXPECT_NE(pages[1].text.find("\ntakt\\-g \\- \\&\\(aqq\n"), std::string::npos);
}

}  // namespace
}  // namespace takt
