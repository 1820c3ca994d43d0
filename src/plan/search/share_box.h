// Shares from one to another, of all units of a plan: what a search for shares gives up as a whole.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace takt {

/// Steps of shares, by block and unit.
using ShareSteps = std::vector<std::vector<int>>;

class ShareBox {
 public:
  /// All shares of at least one step for blocks on so many units.
  ShareBox(const std::vector<std::size_t>& units, int steps);

  /// Leaves out what no other unit of the block can make up to a whole batch; false: nothing is left.
  bool tighten();
  bool is_single() const;
  /// The least of each unit: no shares in the box take less time. If the box is single, the shares.
  ShareSteps least() const;
  /// In two where a unit has most to choose from; the first holds `near`, if the box does.
  std::pair<ShareBox, ShareBox> halves(const ShareSteps& near) const;

 private:
  struct Range {
    int low, high;  ///< both included
  };
  std::vector<std::vector<Range>> ranges_;
  int steps_;
};

}  // namespace takt
