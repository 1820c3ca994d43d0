// Names of a column made short enough for it, so that what tells them apart stays.
//
// Exporters write paths: /bert/encoder/layer.3/attention/output/dense/MatMul. What all rows of a table share says
// nothing in any of them, and cutting each name in its middle loses just the layer's number. So a name loses whole
// parts, those first that most of the names have, until it fits; of parts equally common the one nearest the middle
// goes first. Parts are steps of a path; words between points and underscores where steps are too long. A name that is
// one long word keeps its two ends. Where two different names would read
// alike after that, they show the place in which they differ.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace takt {

/// Each name in at most `width` (at least 3) columns, "…" where something was left out; short ones are not touched.
/// Cost: about the square of a name's parts, each looked up among all names' parts.
std::vector<std::string> short_names(std::span<const std::string> names, std::size_t width);

}  // namespace takt
