#include "trace/recorder/recorded_names.h"

#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <tuple>

#include "takt/recorder.h"

namespace takt {
namespace {

class NameRegistry {
 public:
  std::uint32_t add(NameTexts texts) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = numbers_.try_emplace(std::tuple(texts.name, texts.category, texts.argument),
                                                      static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(std::move(texts));
    return found->second;
  }
  std::vector<NameTexts> from(std::size_t first) {
    const std::lock_guard lock(mutex_);
    if (first >= texts_.size()) return {};
    return {texts_.begin() + static_cast<std::ptrdiff_t>(first), texts_.end()};
  }

 private:
  std::mutex mutex_;
  std::deque<NameTexts> texts_;
  std::map<std::tuple<std::string, std::string, std::string>, std::uint32_t> numbers_;
};

NameRegistry& registry() {
  static NameRegistry names;
  return names;
}

}  // namespace

std::uint32_t register_name(NameTexts texts) { return registry().add(std::move(texts)); }

std::vector<NameTexts> registered_names(std::size_t first) { return registry().from(first); }

EventName::EventName(std::string_view name, std::string_view category, std::string_view argument)
    : number_(register_name({std::string(name), std::string(category), std::string(argument)})) {}

ArgumentName::ArgumentName(std::string_view name) : number_(register_name({std::string(name), "", ""})) {}

}  // namespace takt
