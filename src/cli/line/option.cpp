#include "cli/line/option.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/text.h"

namespace takt {

namespace {

/// A limit of a million and more only catches slips; nobody needs to read it.
std::string limits(const Option& option) {
  const NumberRange& range = *option.range;
  if (option.value == "PERCENT") return fmt::format(" ({:g}% to {:g}%)", 100 * range.low, 100 * range.high);
  if (range.high < 1e6) return fmt::format(" ({} to {})", range.low, range.high);
  return range.low > 1 ? fmt::format(" (at least {})", range.low) : "";
}

}  // namespace

std::vector<std::string> Option::spellings() const { return split(names, ','); }

std::vector<std::string> Option::all_spellings() const {
  return split(older.empty() ? names : names + "," + older, ',');
}

std::string Option::name() const { return spellings().back(); }

std::string one_of(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? "" : words.front();
  return fmt::format("{} or {}", fmt::join(words.begin(), words.end() - 1, ", "), words.back());
}

std::string sentence(const Option& option) {
  std::string text = option.meaning;
  if (!option.one_of.empty()) text += (text.empty() ? "" : ": ") + one_of(option.one_of);
  if (option.range) text += limits(option);
  if (!option.fallback.empty()) text += ". Default: " + option.fallback;
  return text;
}

std::string heading_of(const Option& option) {
  if (option.positional()) return option.names + (option.takes == Takes::words ? "..." : "");
  std::string text = fmt::format("{}", fmt::join(option.spellings(), ", "));
  if (!option.value.empty()) text += " " + option.value;
  return text;
}

/// What users of benchmark_app, trtexec and PyTorch type, and what takt calls it.
constexpr std::pair<std::string_view, std::string_view> words_of_others[] = {
    {"-b", "--batch-size"},
    {"--batch", "--batch-size"},
    {"-v", "--verbose"},
    {"-t", "--top"},
    {"-d", "--device"},
    {"--provider", "--device"},
    {"--ep", "--device"},
    {"-niter", "--iter"},
    {"--iterations", "--iter"},
    {"-nireq", "--requests"},
    {"-nstreams", "--streams"},
    {"-nthreads", "--threads"},
    {"-infer_precision", "--precision"},
    {"-shape", "--input"},
    {"--shape", "--input"},
    {"--shapes", "--input"},
    {"-cdir", "--cache-dir"},
    {"--output-format", "--format"},
    {"--quiet", ""},  // takt prints its answer and nothing else
    {"--silent", ""},
    {"--warmUp", "--warmup-iter"},
};

std::vector<std::string> meant_options(const std::string& word, const std::vector<std::string>& spellings) {
  const auto known = std::find_if(std::begin(words_of_others), std::end(words_of_others),
                                  [&](const auto& pair) { return pair.first == word; });
  if (known != std::end(words_of_others) && known->second.empty()) return {};
  if (known != std::end(words_of_others) &&
      std::find(spellings.begin(), spellings.end(), known->second) != spellings.end())
    return {std::string(known->second)};
  // '-iter' was meant as '--iter'; one letter is as near to any other.
  const std::string wanted = word.starts_with("--") ? word : "-" + word;
  if (wanted.size() <= 3) return {};
  std::vector<std::string> longer;
  std::string shorter;
  for (const auto& spelling : spellings) {
    if (!spelling.starts_with("--")) continue;
    if (spelling.starts_with(wanted)) longer.push_back(spelling);
    if (wanted.starts_with(spelling) && spelling.size() > shorter.size()) shorter = spelling;
  }
  if (!longer.empty()) return longer;
  if (!shorter.empty()) return {shorter};
  const auto nearest = nearest_word(wanted, spellings);
  return nearest ? std::vector{*nearest} : std::vector<std::string>{};
}

}  // namespace takt
