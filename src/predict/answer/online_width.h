// Intervals from how far off the predictions before were.
//
// Problem: a width that was learnt beside steady loads holds beside steady loads; what the programs of another machine
// will do in the next second is in no dataset. Idea: who predicts one request after the other soon knows how far off
// predictions are, and the next one is like the last ones. Those beside a load like the present one count: beside loads
// that come and go a quiet moment is less certain than a busy one, as it can only get worse. (Split conformal, with the
// nearest third in load as its calibration set, 9 to 30 of them, of those alike the last, and a window of the last
// predictions, as loads drift.)
//
// Where more of these were outside than one in ten the interval reaches for a higher confidence, and where fewer were,
// a lower one (adaptive conformal inference, Gibbs and Candès, 2021, here beside each load for itself): what drifts, or
// is luck that lasts, is made up for.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

namespace takt {

struct OnlineInterval {
  double width = 0;      ///< of |log(measured / predicted)|, that nine in ten stay below
  std::size_t runs = 0;  ///< that it is from
};

class OnlineWidth {
 public:
  /// Of a prediction whose load makes it take `factor` (above 0) times as long; nullopt before there are enough errors.
  std::optional<OnlineInterval> at(double factor) const;
  /// The largest error so far, 0 without any: as long as at() tells nothing, no interval should be narrower.
  double largest() const { return largest_; }
  /// `log_error`: |log(measured / predicted)| of a prediction with that factor.
  void observe(double factor, double log_error);

 private:
  struct Seen {
    double place = 0;  ///< of its factor, where equal distances are equal differences of loads
    double log_error = 0;
    double missed = 0;  ///< 1: it was outside its interval; 0: inside; as one in ten where it had none
  };
  std::deque<Seen> seen_;  ///< the last ones
  double largest_ = 0;
};

}  // namespace takt
