#include "base/basics/shard.h"

#include <fmt/format.h>

#include "base/basics/error.h"
#include "base/basics/text.h"

namespace takt {

Shard shard_in(const std::string& text, std::string_view command) {
  if (text.empty()) return {};
  const auto slash = text.find('/');
  const auto number = number_in<int>(std::string_view(text).substr(0, slash));
  const auto of = slash == text.npos ? std::nullopt : number_in<int>(std::string_view(text).substr(slash + 1));
  if (!number || !of || *number < 1 || *of < *number || *of > 10'000)
    throw UsageError(fmt::format("{}: --shard: '{}' is not a shard; write I/N, e.g. 2/4", command, printable(text)));
  return {*number, *of};
}

}  // namespace takt
