// The sentence that decides, the one after it, and the figures below them, from a result's tables.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "report/page/page.h"

namespace takt {

/// Fills headline, lede and facts of a result whose tables and bars are there; `command` is what printed it ("run").
void add_sentences(ReportResult& result, std::string_view command);

/// A time with its unit in a sentence: "3.50 ms".
std::string shown_time(Duration time);

/// Adds columns of the table's first row that are there; unknown values stay, as not known.
void add_facts(ReportResult& result, const Table& table, std::initializer_list<std::string_view> columns);

/// "Conv takes 55.6 %": the largest part of a bar that is a type of operator; empty: there is none.
std::string largest_share(const ReportBar& bar);

}  // namespace takt
