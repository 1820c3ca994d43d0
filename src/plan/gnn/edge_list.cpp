#include "plan/gnn/edge_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"

namespace takt {
namespace {

constexpr std::int64_t largest_node = std::numeric_limits<std::int32_t>::max() - 1;

bool separates(char c) { return c == ',' || c == ';' || c == ' ' || c == '\t' || c == '\r'; }

/// The first two words of a line; empty where it has fewer.
std::array<std::string_view, 2> words_of(std::string_view line) {
  std::array<std::string_view, 2> words;
  for (std::string_view& word : words) {
    const auto* const begin = std::find_if_not(line.begin(), line.end(), separates);
    const auto* const end = std::find_if(begin, line.end(), separates);
    word = line.substr(static_cast<std::size_t>(begin - line.begin()), static_cast<std::size_t>(end - begin));
    line.remove_prefix(static_cast<std::size_t>(end - line.begin()));
  }
  return words;
}

bool is_comment(std::string_view line) {
  const std::string_view text = trim(line);
  return text.empty() || text.front() == '#' || text.front() == '%';
}

std::int64_t node_in(std::string_view word, std::string_view where, std::size_t line) {
  const auto node = number_in<std::int64_t>(word);
  if (node && *node >= 0 && *node <= largest_node) return *node;
  const std::string_view rule = "write an edge as 'source,target', two numbers from 0 to 2147483646";
  if (word.empty()) refuse_input(fmt::format("{}: line {}: has no two nodes; {}", where, line, rule));
  refuse_input(fmt::format("{}: line {}: '{}' is not a node; {}", where, line, printable(word.substr(0, 40)), rule));
}

}  // namespace

EdgeList parse_edge_list(std::string_view text, std::string_view where) {
  EdgeList list;
  bool may_be_heading = true;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::string_view here = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), here.size() + 1));
    if (is_comment(here)) continue;
    const auto words = words_of(here);
    const bool is_heading =
        may_be_heading && !words[1].empty() && !number_in<double>(words[0]) && !number_in<double>(words[1]);
    may_be_heading = false;
    if (is_heading) continue;
    list.sources.push_back(node_in(words[0], where, line));
    list.targets.push_back(node_in(words[1], where, line));
    list.nodes = std::max({list.nodes, list.sources.back() + 1, list.targets.back() + 1});
  }
  if (list.sources.empty())
    refuse_input(fmt::format("{}: has no edges; write one per line, as 'source,target'", where));
  return list;
}

EdgeList read_edge_list(const std::filesystem::path& path) {
  return parse_edge_list(read_file(path), printable(path.string()));
}

}  // namespace takt
