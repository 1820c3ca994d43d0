// Which cuts make pieces of equal work: choose_cuts() of cuts.h.
//
// First the smallest bound that pieces can keep to, by bisection: whether a bound can be kept shows by filling each
// piece as far as it goes. Then, of all choices within the bound and its slack, the one whose cuts are smallest, by
// dynamic programming over (pieces so far, cut): the best choice that ends at a cut extends the best one that ends at
// an earlier cut no further away than the bound. These earlier cuts are a window that only moves forward, so a queue
// has its minimum, and all takes pieces × cuts steps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>

#include "base/basics/error.h"
#include "base/basics/index.h"
#include "model/cost/cost.h"
#include "model/cuts/cuts.h"
#include "model/graph/run_order.h"

namespace takt {
namespace {

/// Tensors of unknown size, bytes of the others, tensors: compared in this order, added one by one.
using CutSize = std::array<std::int64_t, 3>;

CutSize size_of(const Graph& graph, const Cut& cut) {
  CutSize size{0, 0, static_cast<std::int64_t>(cut.tensors.size())};
  for (const TensorId id : cut.tensors) {
    const auto& bytes = graph.tensor(id).bytes;
    if (!bytes || __builtin_add_overflow(size[1], *bytes, &size[1])) ++size[0];
  }
  return size;
}

CutSize operator+(const CutSize& a, const CutSize& b) {
  CutSize sum{};
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (__builtin_add_overflow(a[i], b[i], &sum[i])) sum[i] = std::numeric_limits<std::int64_t>::max();
  return sum;
}

/// By place in the order: the work of all operators before it; one more than there are operators.
std::vector<double> work_before(const Graph& graph, double flops_per_byte) {
  const RunOrder order = run_order(graph);
  std::vector<double> work;
  double known = 0;
  std::int64_t known_ops = 0;
  for (const int op : order.ops) {
    const Cost one = cost(graph, graph.ops[index(op)]);
    const double flops = one.flops.value_or(0) + one.sfu_ops.value_or(0);
    const bool is_known = one.flops || one.bytes;
    work.push_back(is_known ? std::max(flops, flops_per_byte * static_cast<double>(one.bytes.value_or(0))) : -1);
    if (is_known) known += work.back(), ++known_ops;
  }
  const double average = known > 0 ? known / static_cast<double>(known_ops) : 1;
  std::vector<double> before{0};
  for (const double one : work) before.push_back(before.back() + (one < 0 || known == 0 ? average : one));
  return before;
}

class Balance {
 public:
  /// `work`: at the front of the model, at each cut, at its end.
  Balance(std::vector<double> work, std::vector<CutSize> sizes, std::size_t pieces)
      : work_(std::move(work)), sizes_(std::move(sizes)), pieces_(pieces) {}

  /// Whether no piece needs more work than `bound`. Cuts that are left over only make pieces smaller.
  bool can_keep(double bound) const {
    std::size_t begin = 0;
    for (std::size_t piece = 0; piece < pieces_; ++piece) {
      std::size_t end = begin;
      while (end + 1 < work_.size() && work_[end + 1] - work_[begin] <= bound) ++end;
      if (end + 1 == work_.size()) return true;
      begin = end;
    }
    return false;
  }

  double smallest_bound() const {
    double low = 0, high = work_.back();
    for (int step = 0; step < 100 && low < high; ++step) {
      const double middle = low + (high - low) / 2;
      if (middle <= low || middle >= high) break;
      (can_keep(middle) ? high : low) = middle;
    }
    return high;
  }

  /// Numbers of the pieces - 1 cuts, ascending, such that no piece has more work than `bound`, which can be kept.
  std::vector<std::size_t> smallest_cuts(double bound) const {
    const std::size_t ends = work_.size();
    std::vector<Step> row(ends);
    row[0] = {CutSize{}, 0, true};
    std::vector<std::vector<Step>> rows{row};
    for (std::size_t piece = 1; piece <= pieces_; ++piece) rows.push_back(next_row(rows.back(), bound));
    std::vector<std::size_t> chosen;
    std::size_t end = ends - 1;
    for (std::size_t piece = pieces_; piece > 1; --piece) {
      end = rows[piece][end].from;
      chosen.push_back(end - 1);
    }
    std::reverse(chosen.begin(), chosen.end());
    return chosen;
  }

 private:
  /// The best way to end a piece at some place.
  struct Step {
    CutSize size{};
    std::size_t from = 0;  ///< where that piece begins
    bool is_there = false;
  };

  std::vector<Step> next_row(const std::vector<Step>& row, double bound) const {
    std::vector<Step> next(row.size());
    std::deque<std::size_t> window;  // places where the piece may begin, of growing size: the front is the best
    for (std::size_t end = 1; end < row.size(); ++end) {
      if (row[end - 1].is_there) {
        while (!window.empty() && row[end - 1].size < row[window.back()].size) window.pop_back();
        window.push_back(end - 1);
      }
      while (!window.empty() && work_[end] - work_[window.front()] > bound) window.pop_front();
      if (window.empty()) continue;
      const CutSize here = end + 1 < row.size() ? sizes_[end - 1] : CutSize{};
      next[end] = {row[window.front()].size + here, window.front(), true};
    }
    return next;
  }

  std::vector<double> work_;
  std::vector<CutSize> sizes_;
  std::size_t pieces_;
};

}  // namespace

std::vector<Cut> choose_cuts(const Graph& graph, const std::vector<Cut>& cuts, const CutChoice& choice) {
  if (choice.pieces < 1) refuse_input("a model has at least one piece");
  for (const double number : {choice.flops_per_byte, choice.slack})
    if (!std::isfinite(number) || number < 0)
      refuse_input(fmt::format("pieces of a model cannot be balanced with {}; give a number of 0 or more", number));
  if (cuts.size() + 1 < choice.pieces)
    refuse_input(fmt::format(
        "the model has {} possible cuts, so at most {} pieces, not {}; cuts across more tensors may split it further",
        cuts.size(), cuts.size() + 1, choice.pieces));
  const auto before = work_before(graph, choice.flops_per_byte);
  std::vector<double> work{0};
  std::vector<CutSize> sizes;
  for (const Cut& cut : cuts) {
    work.push_back(before[cut.place]);
    sizes.push_back(size_of(graph, cut));
  }
  work.push_back(before.back());
  const Balance balance(std::move(work), std::move(sizes), choice.pieces);
  std::vector<Cut> chosen;
  for (const std::size_t number : balance.smallest_cuts(balance.smallest_bound() * (1 + choice.slack)))
    chosen.push_back(cuts[number]);
  return chosen;
}

}  // namespace takt
