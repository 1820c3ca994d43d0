#include "report/results/repeats.h"

#include <algorithm>
#include <vector>

namespace takt {
namespace {

/// The longest run of places whose word is that of `length` places later: so long, and the piece before it, repeats.
Repeat repeat_of(std::span<const std::uint32_t> words, std::size_t length) {
  std::size_t run = 0, longest = 0, end = 0;
  for (std::size_t at = 0; at + length < words.size(); ++at) {
    run = words[at] == words[at + length] ? run + 1 : 0;
    if (run > longest) longest = run, end = at + 1;
  }
  return {end - longest, length, longest / length + 1};
}

}  // namespace

std::optional<Repeat> longest_repeat(std::span<const std::uint32_t> words, std::size_t least) {
  constexpr std::size_t most_looks = 200'000'000;
  if (least == 0 || words.size() < 2 * least) return std::nullopt;
  const std::size_t most = std::min(words.size() / 2, std::max(least, most_looks / words.size()));
  std::vector<Repeat> found;
  std::size_t covered = 0;
  for (std::size_t length = least; length <= most; ++length)
    if (const Repeat one = repeat_of(words, length); one.count > 1)
      found.push_back(one), covered = std::max(covered, one.length * one.count);
  const auto chosen = std::find_if(found.begin(), found.end(),
                                   [&](const Repeat& one) { return 10 * one.length * one.count >= 9 * covered; });
  return chosen == found.end() ? std::nullopt : std::optional(*chosen);
}

}  // namespace takt
