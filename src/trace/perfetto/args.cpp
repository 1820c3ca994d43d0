#include "trace/perfetto/args.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/basics/text.h"
#include "trace/write/perfetto_schema.h"

namespace takt::perfetto {
namespace {

namespace annotation = annotation_field;

constexpr int deepest_argument = 64;

std::string number_of(auto value, auto... format) {
  std::array<char, 40> digits;
  return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, format...).ptr};
}

/// The name of an annotation as far as it is told.
struct AnnotationName {
  std::optional<std::string_view> text;
  bool is_unknown = false;
};

AnnotationName name_in(std::string_view message, const Sequence& sequence, const Trace& trace) {
  AnnotationName name;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == annotation::name) name.text = field.bytes;
    if (field.number != annotation::name_iid) continue;
    const auto id = sequence.argument_names.find(field.value);
    if (id) name.text = trace.text(*id);
    name.is_unknown = !id;
  }
  return name;
}

std::string quoted_key(const AnnotationName& name) { return json_quote(name.text.value_or("")) + ":"; }

}  // namespace

bool ArgReader::is_json(StringId text) {
  const auto position = static_cast<std::size_t>(text);
  if (position >= checked_.size()) checked_.resize(trace_.strings().size());
  std::uint8_t& known = checked_[position];
  if (known == 0) known = nlohmann::json::accept(trace_.text(text)) ? 1 : 2;
  return known == 1;
}

TraceArg ArgReader::json_arg(std::string_view text) {
  const StringId id = trace_.intern(text);
  TraceArg arg;
  if (is_json(id))
    arg.value = TraceJson{id};
  else
    arg.value = id;
  return arg;
}

/// Values that are no annotations themselves. `unread`: the field is another one.
ArgState ArgReader::take_value(const Field& field, const Sequence& sequence, TraceArg& arg) {
  switch (field.number) {
    case annotation::bool_value:
      arg.value = TraceJson{trace_.intern(field.value != 0 ? "true" : "false")};
      return ArgState::good;
    case annotation::uint_value:
      if (field.value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        arg.value = TraceJson{trace_.intern(std::to_string(field.value))};
      else
        arg.value = field.as_signed();
      return ArgState::good;
    case annotation::int_value:
      arg.value = field.as_signed();
      return ArgState::good;
    case annotation::double_value:
      arg.value = field.as_real();
      return ArgState::good;
    case annotation::string_value:
      arg.value = trace_.intern(field.bytes);
      return ArgState::good;
    case annotation::pointer_value:
      arg.value = trace_.intern("0x" + number_of(field.value, 16));
      return ArgState::good;
    case annotation::json_value:
      arg.value = json_arg(field.bytes).value;
      return ArgState::good;
    case annotation::string_iid: {
      const auto text = sequence.argument_texts.find(field.value);
      if (text) arg.value = *text;
      return text ? ArgState::good : ArgState::unknown_text;
    }
    default:
      return ArgState::unread;
  }
}

ArgState ArgReader::read(std::string_view message, const Sequence& sequence, std::vector<TraceArg>& args) {
  if (!null_) null_ = trace_.intern("null");
  TraceArg arg{{}, TraceJson{*null_}};
  bool is_nested = false, is_unread = false;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    if (field.number == annotation::name_iid) {
      const auto name = sequence.argument_names.find(field.value);
      if (!name) return ArgState::unknown_text;
      arg.key = *name;
    } else if (field.number == annotation::name) {
      arg.key = trace_.intern(field.bytes);
    } else if (field.number == annotation::dict_entries || field.number == annotation::array_values) {
      is_nested = true;
    } else {
      const ArgState state = take_value(field, sequence, arg);
      if (state == ArgState::unknown_text) return state;
      is_unread = is_unread || (state == ArgState::unread && field.number != annotation::proto_type_name);
    }
  }
  if (fields.is_broken()) return ArgState::broken;
  if (is_unread) return ArgState::unread;
  if (is_nested) {
    scratch_.clear();
    const ArgState state = append_json(message, sequence, 0, scratch_);
    if (state != ArgState::good) return state;
    arg.value = TraceJson{trace_.intern(scratch_)};
  }
  args.push_back(arg);
  return ArgState::good;
}

/// The value of an annotation that may hold others.
ArgState ArgReader::append_json(std::string_view message, const Sequence& sequence, int depth, std::string& json) {
  if (depth > deepest_argument) return ArgState::broken;
  std::string value = "null", members, elements;
  Fields fields(message);
  for (Field field; fields.next(field);) {
    TraceArg arg;
    if (field.number == annotation::name_iid || field.number == annotation::name) continue;
    if (field.number == annotation::dict_entries || field.number == annotation::array_values) {
      const bool is_member = field.number == annotation::dict_entries;
      std::string& list = is_member ? members : elements;
      list += list.empty() ? "" : ",";
      if (is_member) {
        const AnnotationName name = name_in(field.bytes, sequence, trace_);
        if (name.is_unknown) return ArgState::unknown_text;
        list += quoted_key(name);
      }
      const ArgState state = append_json(field.bytes, sequence, depth + 1, list);
      if (state != ArgState::good) return state;
      continue;
    }
    const ArgState state = take_value(field, sequence, arg);
    if (state != ArgState::good) return state;
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value))
      value = std::to_string(*integer);
    else if (const auto* real = std::get_if<double>(&arg.value))
      value = std::isfinite(*real) ? number_of(*real) : "null";
    else if (const auto* text = std::get_if<StringId>(&arg.value))
      value = json_quote(trace_.text(*text));
    else
      value = trace_.text(std::get<TraceJson>(arg.value).text);
  }
  if (fields.is_broken()) return ArgState::broken;
  if (!members.empty()) value = "{" + members + "}";
  if (!elements.empty()) value = "[" + elements + "]";
  json += value;
  return ArgState::good;
}

}  // namespace takt::perfetto
