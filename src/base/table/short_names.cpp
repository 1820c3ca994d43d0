#include "base/table/short_names.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/basics/text.h"
#include "base/basics/utf8.h"

namespace takt {
namespace {

constexpr std::string_view gap = "…";

/// The characters of a text, each a view of its bytes; a byte that is no character counts as one.
std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> list;
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
    list.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return list;
}

std::string joined(std::span<const std::string_view> pieces) {
  std::string text;
  for (const auto piece : pieces) text += piece;
  return text;
}

/// A name in parts that keep the sign they begin with: "/a", "/b". Without such a sign it is one part.
std::vector<std::string_view> parts_of(std::string_view name, std::string_view signs) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t at = 1; at < name.size(); ++at)
    if (signs.find(name[at]) != signs.npos) parts.push_back(name.substr(begin, at - begin)), begin = at;
  if (begin < name.size()) parts.push_back(name.substr(begin));
  return parts;
}

/// In how many names a part stands.
std::unordered_map<std::string_view, std::size_t> count_parts(std::span<const std::string> names,
                                                              std::string_view signs) {
  std::unordered_map<std::string_view, std::size_t> counts;
  for (const auto& name : names) {
    const auto parts = parts_of(name, signs);
    for (const auto part : std::set(parts.begin(), parts.end())) ++counts[part];
  }
  return counts;
}

std::string both_ends(std::string_view name, std::size_t width) {
  const auto letters = characters(name);
  if (letters.size() <= width) return std::string(name);
  const std::size_t tail = (width - 1) / 2, head = width - 1 - tail;
  return joined(std::span(letters).first(head)) + std::string(gap) + joined(std::span(letters).last(tail));
}

/// The parts that are kept, a gap for each run of those that are not.
std::string with_gaps(std::span<const std::string_view> parts, const std::vector<bool>& kept) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (kept[i])
      text += parts[i];
    else if (i == 0 || kept[i - 1])
      text += gap;
  return text;
}

/// Leaves out parts that begin with one of `signs`.
class Shortener {
 public:
  Shortener(std::span<const std::string> names, std::string_view signs, std::size_t width)
      : counts_(count_parts(names, signs)), signs_(signs), width_(width) {}

  /// nullopt: the rarest part alone is too long.
  std::optional<std::string> shorten(const std::string& name) const {
    const auto parts = parts_of(name, signs_);
    std::vector<bool> kept(parts.size(), true);
    for (std::size_t left = parts.size(); left > 1; --left) {
      kept[commonest(parts, kept)] = false;
      if (std::string text = with_gaps(parts, kept); display_width(text) <= width_) return text;
    }
    return std::nullopt;
  }

 private:
  std::size_t commonest(std::span<const std::string_view> parts, const std::vector<bool>& kept) const {
    const auto off_middle = [&](std::size_t i) {
      return std::abs(2 * static_cast<std::ptrdiff_t>(i) - static_cast<std::ptrdiff_t>(parts.size()) + 1);
    };
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!kept[i]) continue;
      if (!best) best = i;
      const std::size_t count = counts_.at(parts[i]), most = counts_.at(parts[*best]);
      if (count > most || (count == most && off_middle(i) < off_middle(*best))) best = i;
    }
    return *best;
  }

  std::unordered_map<std::string_view, std::size_t> counts_;
  std::string_view signs_;
  std::size_t width_;
};

/// A window of the name around its character number `at`.
std::string around(std::string_view name, std::size_t at, std::size_t width) {
  const auto letters = characters(name);
  if (letters.size() <= width) return std::string(name);
  const std::size_t room = width - 2;
  std::size_t begin = at > room / 2 ? at - room / 2 : 0;
  begin = std::min(begin, letters.size() - room);
  const std::size_t count = std::min(room, letters.size() - begin);
  return (begin > 0 ? std::string(gap) : "") + joined(std::span(letters).subspan(begin, count)) +
         (begin + count < letters.size() ? std::string(gap) : "");
}

/// The first character in which not all of these names agree.
std::size_t first_difference(const std::set<std::string>& names) {
  const auto first = characters(*names.begin()), last = characters(*names.rbegin());
  std::size_t at = 0;
  while (at < first.size() && at < last.size() && first[at] == last[at]) ++at;
  return at;
}

}  // namespace

std::vector<std::string> short_names(std::span<const std::string> names, std::size_t width) {
  // Whole steps of a path first; words within one only where that does not do.
  const Shortener shorteners[] = {{names, "/", width}, {names, "/.", width}, {names, "/.:_+ ", width}};
  const auto shorten = [&](const std::string& name) {
    if (display_width(name) <= width) return name;
    for (const Shortener& one : shorteners)
      if (auto text = one.shorten(name)) return *text;
    return both_ends(name, width);
  };
  std::vector<std::string> shortened;
  std::map<std::string, std::set<std::string>> meant;
  for (const auto& name : names) {
    shortened.push_back(shorten(name));
    meant[shortened.back()].insert(name);
  }
  for (std::size_t i = 0; i < shortened.size(); ++i)
    if (const auto& alike = meant.at(shortened[i]); alike.size() > 1)
      shortened[i] = around(names[i], first_difference(alike), width);
  return shortened;
}

}  // namespace takt
