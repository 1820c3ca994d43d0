#include "report/results/roofs.h"

#include <algorithm>
#include <string>

#include "report/results/saved_tables.h"

namespace takt {
namespace {

/// "float32 (AVX-512)" and "L2 read (AVX-512)" without what is in brackets; empty: neither a type nor a level that reads.
std::string roof_label(const std::string& peak, bool is_memory) {
  const auto end = peak.find(is_memory ? " read" : " (");
  return end == peak.npos ? (is_memory ? "" : peak) : peak.substr(0, end);
}

/// The better of two rates of one name.
void put_roof(std::vector<ReportRoof>& roofs, ReportRoof roof) {
  const auto same = std::find_if(roofs.begin(), roofs.end(), [&](const ReportRoof& one) {
    return one.label == roof.label && one.is_memory == roof.is_memory;
  });
  if (same == roofs.end())
    roofs.push_back(std::move(roof));
  else
    same->giga_per_s = std::max(same->giga_per_s, roof.giga_per_s);
}

std::string machine_of(const ReportResult& result) {
  for (const OriginEntry& entry : result.origin)
    if (entry.label == "machine") return entry.value;
  return {};
}

bool is_on_one_thread(const ReportResult& result) {
  return std::any_of(result.origin.begin(), result.origin.end(),
                     [](const OriginEntry& entry) { return entry.label == "threads" && entry.value == "1"; });
}

bool has_roofline(const ReportResult& result) {
  const Table* operators = find_table(result.tables, "operators");
  return operators && find_cell(*operators, 0, "intensity_flop_per_byte");
}

}  // namespace

std::vector<ReportRoof> roofs_of(const Table& peaks, bool one_thread) {
  std::vector<ReportRoof> roofs;
  for (std::size_t row = 0; row < peaks.rows.size(); ++row) {
    const auto flops = number_in(peaks, row, "peak_gflops_per_s"), bytes = number_in(peaks, row, "peak_gbytes_per_s");
    const bool is_one = number_in(peaks, row, "threads").value_or(1) <= 1;
    const double rate = bytes.value_or(flops.value_or(0));
    const std::string label = roof_label(text_in(peaks, row, "peak"), bytes.has_value());
    if (is_one == one_thread && rate > 0 && !label.empty()) put_roof(roofs, {label, bytes.has_value(), rate});
  }
  if (roofs.empty() && !one_thread) return roofs_of(peaks, true);  // a machine with one processor
  return roofs;
}

void lend_roofs(std::vector<ReportResult>& results) {
  for (ReportResult& result : results)
    for (const ReportResult& other : results) {
      const Table* peaks = find_table(other.tables, "peaks");
      if (!result.roofs.empty() || !peaks || !has_roofline(result)) continue;
      if (machine_of(other).empty() || machine_of(result) != machine_of(other)) continue;
      result.roofs = roofs_of(*peaks, is_on_one_thread(result));
      if (!result.roofs.empty())
        std::erase_if(result.missing, [](const std::string& one) { return one.starts_with("No roofs"); });
    }
}

}  // namespace takt
