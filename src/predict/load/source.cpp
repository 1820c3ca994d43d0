#include "predict/load/source.h"

#include <utility>

namespace takt {

void begin_all(const std::vector<std::unique_ptr<LoadSource>>& sources) {
  for (const auto& source : sources) source->begin();
}

LoadSnapshot read_all(const std::vector<std::unique_ptr<LoadSource>>& sources) {
  std::vector<SourceReadings> told(sources.size());
  std::vector<Nanoseconds> read_at(sources.size());
  for (const bool disturbing : {false, true})
    for (std::size_t i = 0; i < sources.size(); ++i)
      if (sources[i]->disturbs() == disturbing) told[i] = sources[i]->read(), read_at[i] = steady_now();
  LoadSnapshot snapshot{wall_now(), {}, {}};
  const Nanoseconds now = steady_now();
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (auto& reading : told[i].readings) {
      if (reading.age) *reading.age += now - read_at[i];
      snapshot.readings.push_back(checked(std::move(reading)));
    }
    for (auto& trouble : told[i].troubles) snapshot.troubles.push_back(std::move(trouble));
  }
  return snapshot;
}

}  // namespace takt
