// Numbers of the fields of Perfetto's schema that takt writes or reads, by message:
// protos/perfetto/trace/ of https://github.com/google/perfetto.
#pragma once

namespace takt::perfetto {

namespace packet_field {
constexpr unsigned chrome_events = 5, clock_snapshot = 6, timestamp = 8, sequence_id = 10, track_event = 11,
                   interned_data = 12, sequence_flags = 13, state_cleared = 41, packet_dropped = 42,
                   thread_descriptor = 44, compressed_packets = 50, clock = 58, defaults = 59, track_descriptor = 60;
// takt's own: the track of the row that an instant came from which is drawn across its process or the whole trace. (In
// the event itself Perfetto complains about a field that it does not know.)
constexpr unsigned row_track = 2000;
}  // namespace packet_field
constexpr unsigned flag_state_cleared = 1, flag_needs_state = 2;

namespace track_field {
constexpr unsigned uuid = 1, name = 2, process = 3, thread = 4, parent_uuid = 5, counter = 8, static_name = 10,
                   atrace_name = 13;
}
namespace process_field {
constexpr unsigned pid = 1, sort_index = 3, name = 6, labels = 8;
}
namespace thread_field {
// lane_of is takt's own, from numbers that Perfetto leaves to others: the row whose overlapping spans are on this one.
constexpr unsigned pid = 1, tid = 2, sort_index = 3, name = 5, reference_us = 6, lane_of = 2000;
}  // namespace thread_field
namespace counter_field {
constexpr unsigned unit_multiplier = 4, is_incremental = 5;
}
namespace event_field {
constexpr unsigned delta_us = 1, category_iids = 3, debug_annotations = 4, legacy = 6, type = 9, name_iid = 10,
                   track_uuid = 11, absolute_us = 16, categories = 22, name = 23, counter_value = 30, flow_ids_old = 36,
                   terminating_ids_old = 42, double_counter_value = 44, flow_ids = 47, terminating_flow_ids = 48;
}  // namespace event_field
enum EventType : unsigned { slice_begin = 1, slice_end = 2, instant = 3, counter_value = 4 };
namespace legacy_field {
constexpr unsigned name_iid = 1, phase = 2, duration_us = 3, unscoped_id = 6, bind_id = 8, local_id = 10,
                   global_id = 11, bind_to_enclosing = 12, flow_direction = 13, scope = 14, pid = 18, tid = 19;
}
namespace annotation_field {
constexpr unsigned name_iid = 1, bool_value = 2, uint_value = 3, int_value = 4, double_value = 5, string_value = 6,
                   pointer_value = 7, json_value = 9, name = 10, dict_entries = 11, array_values = 12,
                   proto_type_name = 16, string_iid = 17;
}
namespace interned_field {
constexpr unsigned categories = 1, names = 2, annotation_names = 3, annotation_strings = 29;
}
namespace metadata_field {
constexpr unsigned list = 2, name = 1, text = 2, boolean = 3, integer = 4, json = 5;
}

}  // namespace takt::perfetto
