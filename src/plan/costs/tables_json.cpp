#include <fmt/format.h>

#include "plan/costs/json.h"
#include "plan/costs/tables.h"

namespace takt {
namespace {

using TableJson = nlohmann::ordered_json;

TableJson ns_json(const std::optional<std::int64_t>& ns) {
  return ns ? TableJson(double(*ns) / 1e6) : TableJson(nullptr);
}

/// null where there is no time.
TableJson times_of_row(const CostRow& row) {
  if (!row.split) return nullptr;
  const auto& deviation = row.row->times->stddev;
  return {{"compute_time_ms", ns_json(row.split->compute_ns())},
          {"transfer_time_ms", ns_json(row.split->transfer_ns)},
          {"total_time_ms", ns_json(row.split->total_ns)},
          {"std_ms", deviation ? TableJson(milliseconds(*deviation)) : TableJson(nullptr)}};
}

TableJson origin_of_row(const CostRow& row, const RangeCosts& costs) {
  if (!row.row) return {{"status", "missing"}, {"reason", "it was not measured"}};
  TableJson json;
  json["status"] = status_name(row.row->status);
  if (!row.row->reason.empty()) json["reason"] = row.row->reason;
  if (row.split && !row.split->transfer_ns) json["reason"] = "not split: " + costs.split.reason;
  const auto add = [&](const char* key, const std::string& text) {
    json[key] = text.empty() ? TableJson() : TableJson(text);
  };
  add("runtime", row.row->runtime);
  add("device", row.row->device);
  add("precision", row.row->precision);
  return json;
}

TableJson table_header(const CostTables& tables, const Provenance& provenance) {
  return header_json({tables.network, tables.features, {}}, provenance);
}

std::string rows_json(const CostTables& tables, const std::vector<RangeCosts>& all, const Provenance& provenance) {
  TableJson file, origins = TableJson::object();
  file["takt"] = table_header(tables, provenance);
  // By size, then unit, then stage, as the key is read.
  for (std::size_t size = 0; size < tables.sizes.size(); ++size)
    for (const RangeCosts& costs : all) {
      const CostRow& row = costs.rows[size];
      const std::string key = to_string(row.key);
      file.push_back({key, times_of_row(row)});
      origins.push_back({key, origin_of_row(row, costs)});
    }
  file["takt"]["rows"] = std::move(origins);
  return rows_text(file);
}

std::optional<double> scaled(const std::optional<double>& value, double factor) {
  return value ? std::optional(*value * factor) : std::nullopt;
}

/// The law of a stage in ms; null, and the reason beside it, where there is none.
void add_fit(TableJson& json, const StageFitResult& result) {
  if (!result.fit) {
    json["fit"] = nullptr;
    json["fit_reason"] = result.reason;
    return;
  }
  constexpr double per_us = 1e-3;
  const RelativeFit& law = result.fit->law;
  TableJson& fit = json["fit"] = TableJson::object();
  const char* names[] = {"constant_ms", "ms_per_node", "ms_per_edge", "ms_per_feature"};
  for (std::size_t term = 0; term < law.terms; ++term) {
    fit[names[term]] = law.coefficients[term] * per_us;
    fit[std::string(names[term]) + "_error"] = number_or_null(scaled(law.standard_errors[term], per_us));
  }
  fit["r_squared"] = number_or_null(law.r_squared);
  fit["left_out_error"] = result.fit->left_out_error();
  fit["identifiable"] = law.identifiable;
}

TableJson regression_json(const RangeCosts& costs) {
  const BytesRegression& line = costs.regression;
  TableJson json{{"rows", line.rows},
                 {"ms_per_byte", number_or_null(line.slope)},
                 {"ms_per_byte_error", number_or_null(line.slope_error)},
                 {"intercept_ms", number_or_null(line.intercept)},
                 {"intercept_ms_error", number_or_null(line.intercept_error)},
                 {"r_squared", number_or_null(line.r_squared)},
                 {"copied_ms_per_byte", number_or_null(costs.split.copy_slope)},
                 {"identifiable", costs.split.identifiable}};
  if (!costs.split.reason.empty()) json["reason"] = costs.split.reason;
  add_fit(json, costs.fit);
  return json;
}

TableJson copy_json_of(const CopyLaw& law) {
  if (!law.latency_ms) return nullptr;
  return {{"rows", law.rows},
          {"bandwidth_mb_per_s", number_or_null(law.bandwidth())},
          {"ms_per_byte", number_or_null(law.ms_per_byte)},
          {"ms_per_byte_error", number_or_null(law.ms_per_byte_error)},
          {"latency_ms", number_or_null(law.latency_ms)},
          {"latency_ms_error", number_or_null(law.latency_error)}};
}

}  // namespace

std::string lookup_table_json(const CostTables& tables, const Provenance& provenance) {
  return rows_json(tables, tables.stages, provenance);
}

std::string ranges_table_json(const CostTables& tables, const Provenance& provenance) {
  return rows_json(tables, tables.ranges, provenance);
}

std::string bandwidth_table_json(const CostTables& tables, const Provenance& provenance) {
  TableJson file, rows = TableJson::object(), copies = TableJson::object();
  file["takt"] = table_header(tables, provenance);
  for (const RangeCosts& costs : tables.stages) {
    const std::string key = fmt::format("{}_stage{}", costs.unit, costs.first);
    file[key] = number_or_null(costs.regression.bandwidth());
    rows[key] = regression_json(costs);
  }
  for (const UnitCopies& unit : tables.copies)
    copies[unit.unit] = {{"inputs", copy_json_of(unit.inputs)}, {"outputs", copy_json_of(unit.outputs)}};
  file["takt"]["rows"] = std::move(rows);
  file["takt"]["copies"] = std::move(copies);
  return rows_text(file);
}

}  // namespace takt
