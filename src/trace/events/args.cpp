#include "trace/events/args.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "base/basics/error.h"
#include "base/memory/large_pages.h"

namespace takt {

TraceArgs::TraceArgs(const ArgStore& store, std::uint32_t run)
    : store_(&store), shape_(store.runs_[run].shape), offset_(store.runs_[run].offset) {
  size_ = store.shapes_[shape_].slots.size();
}

TraceArg TraceArgs::operator[](std::size_t position) const {
  const ArgStore::Slot& slot = store_->shapes_[shape_].slots[position];
  const std::uint32_t* value = store_->values_.data() + offset_ + slot.offset;
  std::uint64_t wide = *value;
  if (ArgStore::width_of(slot.kind) == 2) std::memcpy(&wide, value, sizeof wide);
  switch (slot.kind) {
    case ArgStore::Kind::small_integer:
      return {slot.key, std::int64_t{static_cast<std::int32_t>(*value)}};
    case ArgStore::Kind::integer:
      return {slot.key, static_cast<std::int64_t>(wide)};
    case ArgStore::Kind::number:
      return {slot.key, std::bit_cast<double>(wide)};
    case ArgStore::Kind::text:
      return {slot.key, static_cast<StringId>(*value)};
    case ArgStore::Kind::json:
      break;
  }
  return {slot.key, TraceJson{static_cast<StringId>(*value)}};
}

ArgStore::ArgStore() {
  shapes_.emplace_back();
  runs_.emplace_back();
}

ArgStore::Kind ArgStore::kind_of(const TraceArg& arg) {
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
    return static_cast<std::int32_t>(*integer) == *integer ? Kind::small_integer : Kind::integer;
  }
  if (std::holds_alternative<double>(arg.value)) return Kind::number;
  return std::holds_alternative<StringId>(arg.value) ? Kind::text : Kind::json;
}

std::uint32_t ArgStore::shape_of(std::span<const Slot> slots) {
  std::uint64_t hash = slots.size();
  for (const Slot& slot : slots) {
    hash = (hash ^ (static_cast<std::uint64_t>(slot.key) << 3 | static_cast<std::uint64_t>(slot.kind))) *
           0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  std::uint32_t& recent = recent_shapes_[hash % recent_shapes_.size()];
  if (is_shape(recent, slots)) return recent;
  const auto [first, last] = shape_index_.equal_range(hash);
  for (auto found = first; found != last; ++found) {
    if (is_shape(found->second, slots)) return recent = found->second;
  }
  const auto number = static_cast<std::uint32_t>(shapes_.size());
  Shape& shape = shapes_.emplace_back();
  shape.slots.assign(slots.begin(), slots.end());
  for (Slot& slot : shape.slots) {
    slot.offset = shape.width;
    shape.width += width_of(slot.kind);
  }
  shape_index_.emplace(hash, number);
  return recent = number;
}

bool ArgStore::is_shape(std::uint32_t shape, std::span<const Slot> slots) const {
  const auto& known = shapes_[shape].slots;
  return std::equal(known.begin(), known.end(), slots.begin(), slots.end(),
                    [](const Slot& a, const Slot& b) { return a.key == b.key && a.kind == b.kind; });
}

void ArgStore::check_room(std::size_t more) const {
  if (values_.size() + more > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::bad_input, "trace: more than 4 billion argument values; split the trace");
  }
}

std::uint32_t ArgStore::add(std::span<const TraceArg> args) {
  if (args.empty()) return 0;
  scratch_.clear();
  for (const TraceArg& arg : args) scratch_.push_back({arg.key, kind_of(arg), 0});
  const std::uint32_t shape = shape_of(scratch_);
  check_room(shapes_[shape].width);
  runs_.push_back({shape, static_cast<std::uint32_t>(values_.size())});
  const auto add_wide = [&](std::uint64_t value) {
    values_.resize(values_.size() + 2);
    std::memcpy(values_.data() + values_.size() - 2, &value, sizeof value);
  };
  for (std::size_t i = 0; i < args.size(); ++i) {
    const auto& value = args[i].value;
    switch (scratch_[i].kind) {
      case Kind::small_integer:
        values_.push_back(static_cast<std::uint32_t>(std::get<std::int64_t>(value)));
        break;
      case Kind::integer:
        add_wide(static_cast<std::uint64_t>(std::get<std::int64_t>(value)));
        break;
      case Kind::number:
        add_wide(std::bit_cast<std::uint64_t>(std::get<double>(value)));
        break;
      case Kind::text:
        values_.push_back(static_cast<std::uint32_t>(std::get<StringId>(value)));
        break;
      case Kind::json:
        values_.push_back(static_cast<std::uint32_t>(std::get<TraceJson>(value).text));
        break;
    }
  }
  return static_cast<std::uint32_t>(runs_.size() - 1);
}

std::uint32_t ArgStore::append(const ArgStore& other, std::span<const StringId> strings) {
  check_room(other.values_.size());
  std::vector<std::uint32_t> shapes;
  for (const Shape& shape : other.shapes_) {
    scratch_ = shape.slots;
    for (Slot& slot : scratch_) slot.key = strings[static_cast<std::size_t>(slot.key)];
    shapes.push_back(scratch_.empty() ? 0 : shape_of(scratch_));
  }
  const auto first_run = static_cast<std::uint32_t>(runs_.size() - 1);
  const auto first_value = static_cast<std::uint32_t>(values_.size());
  values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  for (std::size_t i = 1; i < other.runs_.size(); ++i) {
    const Run run{shapes[other.runs_[i].shape], other.runs_[i].offset + first_value};
    runs_.push_back(run);
    for (const Slot& slot : shapes_[run.shape].slots) {
      if (slot.kind != Kind::text && slot.kind != Kind::json) continue;
      std::uint32_t& value = values_[run.offset + slot.offset];
      value = static_cast<std::uint32_t>(strings[value]);
    }
  }
  return first_run;
}

void ArgStore::reserve(std::size_t runs, std::size_t values) {
  reserve_large(runs_, runs);
  reserve_large(values_, values);
}

}  // namespace takt
