#include "account/account.h"

#include <algorithm>
#include <cassert>

#include "account/critical_path.h"
#include "account/device_account.h"
#include "account/stage_account.h"
#include "account/stage_columns.h"
#include "account/steady_state.h"
#include "core/check.h"
#include "core/large_pages.h"
#include "record/run_check.h"

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

RunWindow window_of(const PipelineRun& run) {
  const auto& executions = run.schedule.executions;  // in the order of starts
  if (executions.empty()) return {};
  RunWindow window{executions.front().start, executions.front().end};
  for (const ExecutionRecord& record : executions) window.end = std::max(window.end, record.end);
  return window;
}

Accounts account(const PipelineRun& run) {
  check(run, run.name.empty() ? "pipeline run" : run.name);
  Accounts accounts;
  accounts.name = run.name;
  accounts.virtual_clock = run.virtual_clock;
  accounts.interrupted = run.interrupted;
  std::vector<StageColumns> columns = stage_columns(run);
  account_stages(run, columns, accounts);
  assert(accounts.window.length() == window_of(run).length());
  sort_columns(columns);
  accounts.devices = account_devices(run, accounts.window, columns);
  accounts.latency = spread_of(accounts.batches, [](const BatchAccount& batch) { return batch.latency(); });
  accounts.cycle_latency = spread_of(accounts.batches, [](const BatchAccount& batch) { return batch.cycle; });
  TAKT_CHECK(accounts.devices.size() == run.devices.size() && accounts.stages.size() == run.stages.size());
  account_cycle(run, columns, accounts);
  account_bottleneck(run, accounts);
  accounts.path = find_critical_path(run, accounts.window, columns);
  return accounts;
}

}  // namespace takt
