#include "pipeline/account.h"

#include <algorithm>

#include "core/large_pages.h"
#include "pipeline/critical_path.h"
#include "pipeline/device_account.h"
#include "pipeline/run_check.h"
#include "pipeline/spread.h"
#include "pipeline/stage_account.h"
#include "pipeline/stage_columns.h"
#include "pipeline/steady_state.h"

namespace takt {
namespace {

template <typename Value>
Spread spread_of(const std::vector<BatchAccount>& batches, Value value) {
  std::vector<std::int64_t> values;
  reserve_large(values, batches.size());
  for (const BatchAccount& batch : batches) values.push_back(value(batch).count());
  return describe(values);
}

}  // namespace

Accounts account(const PipelineRun& run) {
  check(run, run.name.empty() ? "pipeline run" : run.name);
  Accounts accounts;
  accounts.name = run.name;
  accounts.virtual_clock = run.virtual_clock;
  accounts.interrupted = run.interrupted;
  std::vector<StageColumns> columns = stage_columns(run);
  account_stages(run, columns, accounts);
  sort_columns(columns);
  accounts.devices = account_devices(run, accounts.window, columns);
  accounts.latency = spread_of(accounts.batches, [](const BatchAccount& batch) { return batch.latency(); });
  accounts.cycle_latency = spread_of(accounts.batches, [](const BatchAccount& batch) { return batch.cycle; });
  account_cycle(run, columns, accounts);
  account_bottleneck(run, accounts);
  accounts.path = find_critical_path(run, accounts.window, columns);
  return accounts;
}

}  // namespace takt
