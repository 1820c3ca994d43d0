#include "training/figures/modules.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "training/figures/around.h"

namespace takt {
namespace {

constexpr std::string_view module_front = "nn.Module: ";

/// Spans of modules, with the one around each.
struct Modules {
  std::vector<HostSpan> spans;        ///< by start
  std::vector<std::int32_t> parents;  ///< by position; -1: none
  std::vector<std::int32_t> of_host;  ///< the innermost around each span of Activity::host
};

Modules modules_of(const Trace& trace, const Activity& activity) {
  Modules modules;
  std::unordered_map<StringId, bool> known;
  for (const HostSpan& span : activity.named) {
    if (span.role != Role::frame) continue;
    const auto [found, is_new] = known.try_emplace(span.name);
    if (is_new) found->second = trace.text(span.name).starts_with(module_front);
    if (found->second) modules.spans.push_back(span);
  }
  std::map<RowId, std::vector<std::int32_t>> open;
  for (std::size_t i = 0; i < modules.spans.size(); ++i) {
    auto& stack = open[modules.spans[i].row];
    const auto is_over = [&](std::int32_t one) {
      return modules.spans[static_cast<std::size_t>(one)].span.end <= modules.spans[i].span.start;
    };
    while (!stack.empty() && is_over(stack.back())) stack.pop_back();
    modules.parents.push_back(stack.empty() ? -1 : stack.back());
    stack.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<RowMoment> moments;
  moments.reserve(activity.host.size());
  for (const HostSpan& span : activity.host) moments.push_back({span.row, span.span.start});
  modules.of_host = innermost_around(modules.spans, moments, [](const HostSpan&) { return true; });
  return modules;
}

/// Autograd's numbers: an operator of the forward pass and the one that it runs for it have the same.
class SequenceNumbers {
 public:
  SequenceNumbers(const Trace& trace, const Activity& activity, const Modules& modules) {
    std::optional<StringId> key;
    for (std::size_t i = 0; i < trace.strings().size(); ++i) {
      if (trace.text(static_cast<StringId>(i)) == "Sequence number") key = static_cast<StringId>(i);
    }
    numbers_.assign(activity.host.size(), -1);
    for (std::size_t i = 0; key && i < activity.host.size(); ++i) {
      const HostSpan& span = activity.host[i];
      if (!is_operator(span.role)) continue;
      for (const TraceArg arg : trace.args(trace.events()[static_cast<std::size_t>(span.event)])) {
        const auto* number = arg.key == *key ? std::get_if<std::int64_t>(&arg.value) : nullptr;
        if (number != nullptr) numbers_[i] = *number;
      }
      // Operators that need no gradient have the number of the next one that does: the last one is meant.
      if (numbers_[i] >= 0 && !is_backward(trace.text(span.name))) module_[numbers_[i]] = modules.of_host[i];
    }
  }
  bool has(std::size_t op) const { return numbers_[op] >= 0; }
  /// The module whose forward pass had the operator's number; -1: none.
  std::int32_t module_of(std::size_t op) const {
    const auto found = module_.find(numbers_[op]);
    return found == module_.end() ? -1 : found->second;
  }

 private:
  std::vector<std::int64_t> numbers_;  // by position in Activity::host; -1: none
  std::unordered_map<std::int64_t, std::int32_t> module_;
};

class Account {
 public:
  Account(const Trace& trace, const Activity& activity)
      : trace_(trace),
        activity_(activity),
        modules_(modules_of(trace, activity)),
        numbers_(trace, activity, modules_) {}

  bool is_empty() const { return modules_.spans.empty(); }

  /// Time of an operator, or of a call that none is around, goes to the module that calls it, or to the one that the
  /// backward pass is run for.
  void add(std::int32_t op, std::int32_t call, std::int64_t time) {
    const std::int32_t back = outwards(activity_, op, [&](const HostSpan& span) {
      return is_backward(trace_.text(span.name)) && numbers_.has(position(span));
    });
    const bool is_back = back >= 0;
    std::int32_t module = is_back ? numbers_.module_of(static_cast<std::size_t>(back)) : -1;
    const std::int32_t by = op >= 0 ? op : call;
    if (!is_back && by >= 0) module = modules_.of_host[static_cast<std::size_t>(by)];
    ModuleFigure& own = figure(module);
    (is_back ? own.backward_ns : own.forward_ns) += time;
    if (module < 0) own.all_ns += time;
    std::set<StringId> told;  // a module that calls itself has its time once
    for (; module >= 0; module = modules_.parents[static_cast<std::size_t>(module)]) {
      if (told.insert(modules_.spans[static_cast<std::size_t>(module)].name).second) figure(module).all_ns += time;
    }
  }

  std::vector<ModuleFigure> list() {
    for (std::size_t i = 0; i < modules_.spans.size(); ++i) {
      const HostSpan& span = modules_.spans[i];
      ModuleFigure& one = figure(static_cast<std::int32_t>(i));
      ++one.calls;
      const std::int32_t parent = modules_.parents[i];
      const std::string inside =
          parent < 0 ? std::string() : text_of(modules_.spans[static_cast<std::size_t>(parent)].name);
      if (one.calls == 1) one.inside = inside;
      if (one.inside != inside) one.inside.clear();
      if (inside != one.name) one.host_ns += span.span.end - span.span.start;
    }
    std::vector<ModuleFigure> all;
    for (auto& [name, one] : figures_) all.push_back(std::move(one));
    std::stable_sort(all.begin(), all.end(), [](const ModuleFigure& a, const ModuleFigure& b) {
      if (a.name.empty() != b.name.empty()) return b.name.empty();
      const std::int64_t x = a.forward_ns + a.backward_ns, y = b.forward_ns + b.backward_ns;
      return x != y ? x > y : a.host_ns > b.host_ns;
    });
    return all;
  }

 private:
  std::size_t position(const HostSpan& span) const { return static_cast<std::size_t>(&span - activity_.host.data()); }
  std::string text_of(StringId name) const { return trace_.text(name).substr(module_front.size()); }
  ModuleFigure& figure(std::int32_t module) {
    const auto name = module < 0 ? StringId{} : modules_.spans[static_cast<std::size_t>(module)].name;
    ModuleFigure& one = figures_[name];
    if (module >= 0 && one.name.empty()) one.name = text_of(name);
    return one;
  }

  const Trace& trace_;
  const Activity& activity_;
  Modules modules_;
  SequenceNumbers numbers_;
  std::map<StringId, ModuleFigure> figures_;
};

}  // namespace

std::vector<ModuleFigure> module_figures(const Trace& trace, const Activity& activity) {
  Account account(trace, activity);
  if (account.is_empty()) return {};
  const std::vector<Launch> launches = launches_of(activity);
  for (std::size_t i = 0; i < launches.size(); ++i)
    account.add(launches[i].op, launches[i].call, activity.device[i].span.end - activity.device[i].span.start);
  for (std::size_t i = 0; !activity.has_device() && i < activity.host.size(); ++i) {
    const HostSpan& span = activity.host[i];
    if (is_operator(span.role) && activity.trains[static_cast<std::size_t>(span.row)])
      account.add(static_cast<std::int32_t>(i), -1, span.self_ns);
  }
  return account.list();
}

}  // namespace takt
