// How many times as long a model takes beside a load, from what can be seen of the load before the run.
//
// Problem: a table of times under load would need every model beside every load. Idea: what a load does to a run has
// few reasons, and a probe feels them, too. It waits for processors as the run will; while it has one, it computes and
// reads more slowly than in quiet, as the run will. So the logarithm of the factor is a sum: of each thing that was
// seen, how far it is from quiet (transformed so that a probe's own factor is the first guess) times a weight, and
// another weight times the share of the model's time that goes to memory. The weights are learnt, per machine, by least
// squares drawn a little to that first guess; none has its sign imposed, since there are devices whose clocks rise
// under load and which get faster. How slowly a probe reads counts by the share of the processors that others use.
//
// Beyond what was trained on nothing of this is known, and the factor is that of the nearest that was; only a wait goes
// on as it began: twice as many threads that take turns are twice the time, with ten as with five.
//
// A load that began or ended while the probe worked (predict/load/fair_share.h) is reckoned with as it is: what follows from
// threads that take turns has no weight to be learnt.
//
// There is a law per set of figures that may be had: the probe's, with its wait drawn half way to that of a fair share
// where all threads share the same processors and those are busy (predict/load/fair_share.h), the host's, a GPU's. A
// prediction takes the most certain one whose figures are all there, so a source that does not answer costs certainty
// and nothing else.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "predict/fit/load_state.h"

namespace takt {

/// A run beside a load, and the same model's in quiet.
struct LoadSample {
  SeenLoad seen;            ///< before the run
  double memory_share = 0;  ///< of the model's time, 0 to 1
  double factor = 1;        ///< mean time beside the load over that in quiet
  std::string model, load;  ///< what validation keeps together
};

struct LoadTerm {
  std::string feature;
  double quiet = 0;                  ///< its median in quiet
  double weight = 0, by_memory = 0;  ///< of its distance from quiet; the second one times the memory share
  double low = 0, high = 0;          ///< distances that were trained on
};

/// |log(measured / predicted)| that 90 % stay below, of predictions whose factor is at most this.
struct LoadWidth {
  double up_to_factor = 0, width = 0;
};

/// nullopt: there are none. Factors rise; the last one holds for all above.
std::optional<double> width_at(std::span<const LoadWidth> widths, double factor);

struct LoadFactor {
  double factor = 1;
  double width = 0;        ///< of the logarithm of a whole prediction, the quiet one's error included
  bool is_beyond = false;  ///< more load than was trained on: all but the wait is that of the nearest that was
};

class LoadLaw {
 public:
  LoadLaw() = default;
  LoadLaw(std::string kind, std::vector<LoadTerm> terms, std::vector<LoadWidth> widths)
      : kind_(std::move(kind)), terms_(std::move(terms)), widths_(std::move(widths)) {}

  /// nullopt: one of its features was not seen.
  std::optional<LoadFactor> factor(const SeenLoad& seen, double memory_share) const;
  /// Returns the features that factor() needs and `seen` does not have.
  std::set<std::string> missing(const SeenLoad& seen) const;
  const std::vector<LoadTerm>& terms() const { return terms_; }
  const std::vector<LoadWidth>& widths() const { return widths_; }  ///< factors rise; the last holds for all above
  void set_widths(std::vector<LoadWidth> widths) { widths_ = std::move(widths); }
  const std::string& kind() const { return kind_; }  ///< "probe"

 private:
  std::string kind_;
  std::vector<LoadTerm> terms_;
  std::vector<LoadWidth> widths_;
};

/// A figure, and the weight of its distance from quiet before anything is learnt.
struct LoadLawFeature {
  std::string_view name;
  double guess = 0;
};
/// The features of a kind of load law.
struct LoadLawKind {
  std::string_view name;  ///< "probe"
  std::span<const LoadLawFeature> features;
};
/// The one that usually knows best first.
std::span<const LoadLawKind> load_law_kinds();

/// From samples that have all of the kind's features, and what was seen in quiet; nullopt with fewer than
/// `least_load_samples`, and where nobody saw the quiet.
std::optional<LoadLaw> fit_load_law(std::span<const LoadSample* const> samples, std::span<const SeenLoad> quiet,
                                    const LoadLawKind& kind);
inline constexpr std::size_t least_load_samples = 8;

/// Widths for thirds of the predictions by their factor, from errors of predictions that were trained without what
/// they predict.
struct LoadError {
  double factor = 1, log_error = 0;
};
std::vector<LoadWidth> load_widths(std::vector<LoadError> errors);

}  // namespace takt
