// The page of `takt report` without its data: one script and one style sheet, made of web/src by tools/page.
#pragma once

#include <string_view>

namespace takt {

/// HTML in which "@TITLE@" and "@DATA@" stand once each.
std::string_view page_template();

}  // namespace takt
