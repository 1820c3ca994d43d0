#include "training/steps/vendor_rows.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>

#include "base/basics/text.h"
#include "training/steps/call_names.h"
#include "training/steps/roles.h"

namespace takt {
namespace {

struct ProcessKind {
  std::string_view process;
  VendorRow row;
};

constexpr std::string_view device_process = "Ascend Hardware";
constexpr ProcessKind ascend[] = {
    {device_process, VendorRow::device},         {"CANN", VendorRow::calls},
    {"HCCL", VendorRow::communication},          {"Communication", VendorRow::communication},
    {"Overlap Analysis", VendorRow::summary},    {"AI Core Freq", VendorRow::summary},
    {"Communication Layer", VendorRow::summary}, {"Step Trace", VendorRow::summary},
};

/// What streams do besides computing, in lower case.
constexpr std::array<std::string_view, 7> bookkeeping{"event_",   "notify_",       "place_holder", "write_value",
                                                      "rdmasend", "reduce_inline", "maintenance"};

bool begins_with_one_of(const std::string& word, const std::array<std::string_view, 7>& fronts) {
  return std::any_of(fronts.begin(), fronts.end(), [&](std::string_view front) { return word.starts_with(front); });
}

Role role_on_device(std::string_view name) {
  const std::string word = lower_case(name);
  if (begins_with_one_of(word, bookkeeping)) return Role::none;
  if (word.starts_with("hcom_")) return Role::communication;
  return word.starts_with("memcpy") || word.starts_with("sdma") ? Role::copy : Role::kernel;
}

}  // namespace

std::vector<VendorRow> vendor_rows(const Trace& trace) {
  std::vector<VendorRow> rows(trace.rows().size(), VendorRow::none);
  const auto& processes = trace.processes();
  const bool has_device = std::any_of(processes.begin(), processes.end(), [](const TraceProcess& process) {
    return process.name.starts_with(device_process);
  });
  if (!has_device) return rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& name = processes[static_cast<std::size_t>(trace.rows()[i].process)].name;
    const auto* const kind = std::find_if(std::begin(ascend), std::end(ascend), [&](const ProcessKind& one) {
      return name == one.process || name.starts_with(std::string(one.process) + " (");
    });
    if (kind != std::end(ascend)) rows[i] = kind->row;
  }
  return rows;
}

Role role_on(VendorRow row, std::string_view name) {
  switch (row) {
    case VendorRow::device:
      return role_on_device(name);
    case VendorRow::communication:
      return name.starts_with("hcom_") ? Role::communication : Role::none;
    case VendorRow::calls:
      return role_of_call(name);
    case VendorRow::summary:
    case VendorRow::none:
      break;
  }
  return Role::none;
}

}  // namespace takt
