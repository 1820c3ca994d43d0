// Tiny operators, of a training without a device: so short that calling them is what takes the time.
//
// Their price is more than their own lengths. The way to the next call belongs to it, and so does what the framework
// does once for all of them: it orders the way back before it begins and frees it in the end, which shows as a few long
// gaps. A gap may as well be the program's own code, so beyond the length of a call gaps count up to a twentieth of the
// price.
//
// An optimizer that goes through the parameters one by one makes hundreds of tiny operators in any network; outside of
// it a thousand are a fault as soon as they cost something.
#include <algorithm>
#include <map>
#include <optional>

#include "training/diagnosis/rule_words.h"
#include "training/steps/operator_kinds.h"

namespace takt {
namespace {

constexpr double many_calls_per_step = 500, tiny_share = 0.20;
constexpr double very_many_calls = 1000, dear_share = 0.10;  // outside the optimizer, where networks have some hundreds
constexpr double most_bookkeeping = 0.05;

/// An operator that is inside no other, and the time to the next one of its row in its step.
struct TinyCall {
  std::size_t step = 0;
  std::int64_t length = 0, gap = 0;
  bool in_optimizer = false;
  std::int64_t records = 1;  // of it and of the operators inside
};

std::vector<TinyCall> tiny_calls(const TrainingCase& one) {
  struct Last {
    std::optional<std::size_t> tiny;  // position in the list, of the row's last operator
    std::int64_t end = 0;
  };
  const auto limits = tiny_lengths(one.activity);
  const Intervals optimizer = host_cover(one.activity, {Role::optimizer});
  std::map<RowId, Last> rows;
  std::vector<TinyCall> list;
  const auto close = [&](const Last& last, std::int64_t next) {
    if (!last.tiny) return;
    TinyCall& call = list[*last.tiny];
    const std::int64_t end = std::min(next, one.steps.list[call.step].span.end);
    call.gap = std::max<std::int64_t>(0, end - last.end);
  };
  for (const HostSpan& span : one.activity.host) {
    if (!is_operator(span.role)) continue;
    Last& last = rows[span.row];
    if (!span.is_top && last.tiny) ++list[*last.tiny].records;
    if (!is_call_of_program(one.activity, span)) continue;
    close(last, span.span.start);
    last = {std::nullopt, span.span.end};
    const auto step = one.step_at(span.span.start);
    if (!step || length_of(span) > limits.at(span.name)) continue;
    last.tiny = list.size();
    list.push_back({*step, length_of(span), 0, contains(optimizer, span.span.start)});
  }
  for (const auto& [row, last] : rows) close(last, INT64_MAX);
  return list;
}

/// By step.
std::vector<std::int64_t> price_of(const std::vector<TinyCall>& calls, std::int64_t usual_gap, std::size_t steps) {
  std::vector<std::int64_t> price(steps), beyond(steps);
  for (const TinyCall& call : calls) {
    const std::int64_t gap = std::min(call.gap, usual_gap);
    price[call.step] += call.length + gap;
    beyond[call.step] += call.gap - gap;
  }
  for (std::size_t i = 0; i < steps; ++i)
    price[i] += std::min(beyond[i], static_cast<std::int64_t>(most_bookkeeping * static_cast<double>(price[i])));
  return price;
}

/// "; recording them takes up to 4.10 ms per step of it: without the profiler 1.90 to 2.10x faster": the records of tiny
/// operators vanish with them, so what is said of the recorded steps is too much for those that no one records.
std::string words_of_recording(const TrainingCase& one, const std::vector<TinyCall>& calls, std::int64_t price) {
  constexpr double worth_saying = 0.02;
  const auto each = most_per_record(one.activity);
  if (!each) return "";
  std::int64_t tiny = 0, all = 0;
  for (const TinyCall& call : calls) tiny += call.records * *each;
  for (const HostSpan& span : one.activity.host)
    if (is_operator(span.role) && one.is_in_steps(span.span.start)) all += *each;
  if (one.share(tiny) < worth_saying) return "";
  const auto time = static_cast<double>(one.breakdown.total), left = time - static_cast<double>(price);
  const double unrecorded = time - static_cast<double>(all), left_unrecorded = left - static_cast<double>(all - tiny);
  if (left_unrecorded <= 0 || unrecorded <= left_unrecorded) return "";
  const double low = unrecorded / left_unrecorded, high = time / left;
  return fmt::format("; recording them takes up to {} per step of it: without the profiler {:.2f} to {:.2f}x faster",
                     time_text(one.per_step(tiny)), std::min(low, high), std::max(low, high));
}

bool are_dear_outside(const TrainingCase& one, std::vector<TinyCall> calls, std::int64_t usual_gap) {
  std::erase_if(calls, [](const TinyCall& call) { return call.in_optimizer; });
  if (one.per_step(static_cast<std::int64_t>(calls.size())) < very_many_calls) return false;
  return one.share(sum_of(price_of(calls, usual_gap, one.steps.list.size()))) >= dear_share;
}

}  // namespace

RuleOutcome look_for_tiny_operators(const TrainingCase& one) {
  const bool has_operators = std::any_of(one.activity.host.begin(), one.activity.host.end(),
                                         [&](const HostSpan& span) { return is_call_of_program(one.activity, span); });
  if (!has_operators) return abstain("operators");
  const std::vector<TinyCall> calls = tiny_calls(one);
  if (calls.empty()) return nothing_found();
  std::vector<std::int64_t> lengths;
  for (const TinyCall& call : calls) lengths.push_back(call.length);
  const std::int64_t time = sum_of(lengths);
  const double each = one.per_step(static_cast<std::int64_t>(calls.size()));
  const std::int64_t usual = at_fraction(lengths, 0.5), long_call = at_fraction(lengths, 0.9);
  const auto price = price_of(calls, long_call, one.steps.list.size());
  if ((each < many_calls_per_step || one.share(time) < tiny_share) && !are_dear_outside(one, calls, long_call))
    return nothing_found();
  return found(
      TrainingCause::tiny_kernels, price,
      fmt::format(
          "{:.0f} operators per step typically take less than 20 µs, together {} of the step; their median time is "
          "{}{}",
          each, percent_text(one.share(time)), time_text(static_cast<double>(usual)),
          words_of_recording(one, calls, sum_of(price))),
      "Compute on whole tensors instead of many small ones, fuse chains of operators (torch.compile), and use "
      "foreach or fused optimizers.");
}

}  // namespace takt
