#include "plan/estimate/cost_source.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/basics/error.h"
#include "base/basics/text.h"
#include "base/files/file.h"
#include "pipeline/contention/interference_file.h"
#include "plan/estimate/chosen_units.h"
#include "plan/estimate/size_line.h"
#include "plan/sweep/contention.h"

namespace takt {
namespace {

CostFile cost_file(const std::filesystem::path& path, std::string_view text) {
  return {printable(path.string()), fmt::format("{:016x}", fingerprint(text))};
}

/// What the sweep itself has measured, beside its rows.
std::filesystem::path own_interference(const std::filesystem::path& rows) {
  const auto file = rows.parent_path() / contention_file;
  std::error_code error;
  return std::filesystem::is_regular_file(file, error) ? file : std::filesystem::path();
}

}  // namespace

PlanCostSource::PlanCostSource(const std::filesystem::path& place, CostSourceSettings settings)
    : settings_(std::move(settings)), name_(printable(place.string())) {
  const std::filesystem::path path = std::filesystem::is_directory(place) ? raw_measurements_in(place) : place;
  auto text = std::make_shared<std::string>(read_file(path));
  files_.push_back(cost_file(path, *text));
  kind_ = cost_file_kind(*text);
  if (kind_ == CostFileKind::other)
    lookup_ = std::make_shared<CostLookup>(parse_raw_measurements(*text, printable(path.string())));
  else
    text_ = std::move(text);
  if (settings_.interference.empty() && std::filesystem::is_directory(place))
    settings_.interference = own_interference(path);
  if (settings_.no_interference) settings_.interference.clear();
  if (settings_.interference.empty()) return;
  const std::string measured = read_file(settings_.interference);
  files_.push_back(cost_file(settings_.interference, measured));
  slow_downs_ = std::make_shared<SlowDowns>();
  slow_downs_->rows = parse_interference(measured, settings_.interference.string());
  slow_downs_->answers = parse_known_stages(measured, settings_.interference.string());
}

std::shared_ptr<const SlowDownTable> PlanCostSource::slow_downs_for(const PlanCosts& costs) const {
  const std::lock_guard lock(slow_downs_->mutex);
  auto& table = slow_downs_->table;
  if (!table || !table->fits(costs))
    table = std::make_shared<SlowDownTable>(slow_downs_->rows, costs.units(), costs.stages(),
                                            printable(settings_.interference.string()),
                                            slow_downs_->answers ? &*slow_downs_->answers : nullptr);
  return table;
}

std::shared_ptr<const PlanCosts> PlanCostSource::completed(std::shared_ptr<const PlanCosts> costs) const {
  if (slow_downs_) {
    auto table = slow_downs_for(*costs);
    costs = with_slow_downs(std::move(costs), std::move(table));
  }
  return settings_.units.empty() ? costs : with_units(std::move(costs), settings_.units);
}

std::shared_ptr<const PlanCosts> PlanCostSource::at(const std::optional<GraphSize>& size) const {
  return costs_at(size, false);
}

std::shared_ptr<const PlanCosts> PlanCostSource::costs_at(const std::optional<GraphSize>& size, bool by_law) const {
  if (by_size() && !size)
    refuse_input(fmt::format("{}: costs depend on the size of a batch; give --nodes N --edges E", name_));
  if (!by_size() && size)
    refuse_input(
        fmt::format("{}: has the costs of one size, not of {} nodes and {} edges; leave the size out, or "
                    "write times as {{\"fixed\": 20, \"per_node\": 0.01, \"per_edge\": 0.002}}",
                    name_, size->nodes, size->edges));
  if (lookup_) return completed(measured_costs(lookup_, {*size, settings_.divide, settings_.copies, by_law}));
  return completed(std::make_shared<PlanCostTable>(parse_plan_costs(*text_, name_, size)));
}

CostsAt PlanCostSource::by_sizes() const {
  return [source = *this](const GraphSize& size) { return source.costs_at(size, true); };
}

std::optional<std::pair<GraphSize, GraphSize>> PlanCostSource::measured_range() const {
  if (!lookup_ || lookup_->sizes().empty()) return std::nullopt;
  const auto sizes = lookup_->sizes();
  const auto [least, most] = std::minmax_element(
      sizes.begin(), sizes.end(), [](const GraphSize& a, const GraphSize& b) { return rows_of(a) < rows_of(b); });
  return std::pair(*least, *most);
}

std::vector<std::string> PlanCostSource::extrapolated(const Plan& plan, const GraphSize& size) const {
  return lookup_ ? extrapolated_blocks(plan, *lookup_, size) : std::vector<std::string>();
}

std::optional<PlanCostSource::Draws> PlanCostSource::draws(const GraphSize& size) const {
  if (!lookup_) return std::nullopt;
  const auto drawn = std::make_shared<DrawnCosts>(
      measured_costs(lookup_, {size, settings_.divide, settings_.copies, false}), *lookup_, size);
  return Draws{[source = *this, drawn](std::uint64_t draw) { return source.completed(drawn->draw(draw)); },
               [drawn](const Plan& plan) { return drawn->blocks_without_errors(plan); }};
}

}  // namespace takt
