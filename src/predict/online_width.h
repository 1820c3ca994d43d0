// Intervals from how far off the predictions before were.
//
// Problem: a width that was learnt beside steady loads holds beside steady loads; what the programs of another machine
// will do in the next second is in no dataset. Idea: who predicts one request after the other soon knows how far off
// predictions are, and the next one is like the last ones. Those beside a load like the present one count: beside loads
// that come and go a quiet moment is less certain than a busy one, as it can only get worse. (Split conformal, with the
// nearest third in load as its calibration set, 9 to 30 of them, and a window of the last predictions, as loads drift.)
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
  /// `log_error`: |log(measured / predicted)| of a prediction with that factor.
  void observe(double factor, double log_error);

 private:
  struct Seen {
    double log_factor = 0, log_error = 0;
  };
  std::deque<Seen> seen_;  ///< the last ones
};

}  // namespace takt
