#include "platforms/report/timeline/timeline_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/report/timeline/perfetto.pb.h"

namespace strata::platforms {
namespace {

// Perfetto's numbers: perfetto.dev/docs/reference/trace-packet-proto.
constexpr int slice_begin = 1, slice_end = 2;        // TrackEvent.Type
constexpr int explicit_order = 3;                    // TrackDescriptor.ChildTracksOrdering
constexpr unsigned names_begin = 1, names_used = 2;  // TracePacket.SequenceFlags
constexpr unsigned only_sequence = 1;
constexpr std::size_t buffer_bytes = 1 << 20;

}  // namespace

/// The one message, which is reused, and the names that were written already.
struct TimelineFile::Packets {
  perfetto::Packet packet;
  std::map<std::string, std::uint64_t, std::less<>> categories, events, notes;
  bool first = true;

  template <class Names>
  std::uint64_t iid(Names& known, std::string_view name, perfetto::Name* (perfetto::Interned::*add)()) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    const std::uint64_t number = known.size() + 1;
    known.emplace(name, number);
    perfetto::Name* const row = (packet.mutable_interned()->*add)();
    row->set_iid(number);
    row->set_name(std::string(name));
    return number;
  }
};

TimelineFile::TimelineFile(const std::string& path, std::uint64_t limit)
    : path_(path), limit_(limit), draft_(Draft::file(path)), packets_(std::make_unique<Packets>()) {}

TimelineFile::~TimelineFile() = default;

int TimelineFile::add_track(const std::string& name, int parent) {
  tracks_.push_back({name, parent, 0, {}});
  return static_cast<int>(tracks_.size()) - 1;
}

// A parent must be described before its first child.
std::uint64_t TimelineFile::parent_uuid(int track) {
  if (track == none) return 0;
  Track& parent = tracks_[static_cast<std::size_t>(track)];
  if (parent.uuid == 0) {
    const std::uint64_t above = parent_uuid(parent.parent);
    parent.uuid = next_uuid_++;
    describe(parent.uuid, parent.name, above, track, false);
  }
  return parent.uuid;
}

// Take the most recently used free lane: there are never more lanes than overlapping slices.
TimelineFile::Lane& TimelineFile::lane_for(int number, Cycle begin) {
  Track& track = tracks_[static_cast<std::size_t>(number)];
  Lane* best = nullptr;
  for (Lane& lane : track.lanes)
    if (lane.free <= begin && (best == nullptr || lane.free > best->free)) best = &lane;
  if (best != nullptr) return *best;
  const std::uint64_t above = parent_uuid(track.parent);
  track.lanes.push_back({next_uuid_++});
  describe(track.lanes.back().uuid, track.name, above, number, true);
  return track.lanes.back();
}

void TimelineFile::describe(std::uint64_t uuid, const std::string& name, std::uint64_t parent, int rank,
                            bool leaf) {
  perfetto::Track& track = *packets_->packet.mutable_track();
  track.set_uuid(uuid);
  track.set_name(name);
  if (parent != 0) track.set_parent(parent);
  track.set_rank(rank);
  if (!leaf) track.set_child_ordering(explicit_order);
  put();
}

void TimelineFile::add(int track, const TimelineSlice& outer, const std::vector<TimelineSlice>& inner,
                       const std::vector<TimelineNote>& notes, std::uint64_t flow) {
  Lane& lane = lane_for(track, outer.begin);
  lane.free = std::max(outer.end, outer.begin + 1);
  begin(lane.uuid, outer, notes, flow);
  for (const TimelineSlice& slice : inner) {
    begin(lane.uuid, slice, {}, 0);
    end(lane.uuid, slice.end);
  }
  end(lane.uuid, outer.end);
}

void TimelineFile::begin(std::uint64_t lane, const TimelineSlice& slice,
                         const std::vector<TimelineNote>& notes, std::uint64_t flow) {
  Packets& p = *packets_;
  perfetto::Event& event = *p.packet.mutable_event();
  p.packet.set_timestamp(slice.begin);
  p.packet.set_sequence_flags(names_used);
  event.set_type(slice_begin);
  event.set_track(lane);
  event.set_name(p.iid(p.events, slice.name, &perfetto::Interned::add_event));
  event.add_category(p.iid(p.categories, slice.category, &perfetto::Interned::add_category));
  if (flow != 0) event.add_flow(flow);
  for (const TimelineNote& note : notes) {
    perfetto::Note& row = *event.add_note();
    row.set_name(p.iid(p.notes, note.name, &perfetto::Interned::add_note));
    switch (note.kind) {
      case TimelineNote::Kind::number:
        row.set_number(note.value);
        break;
      case TimelineNote::Kind::address:
        row.set_address(note.value);
        break;
      case TimelineNote::Kind::text:
        row.set_text(std::string(note.text));
        break;
      case TimelineNote::Kind::yes:
        row.set_truth(true);
        break;
    }
  }
  ++slices_;
  put();
}

void TimelineFile::end(std::uint64_t lane, Cycle at) {
  perfetto::Packet& packet = packets_->packet;
  packet.set_timestamp(at);
  packet.set_sequence_flags(names_used);
  packet.mutable_event()->set_type(slice_end);
  packet.mutable_event()->set_track(lane);
  put();
}

// A packet of the trace in protobuf form: field number and type, length, contents.
void TimelineFile::put() {
  perfetto::Packet& packet = packets_->packet;
  packet.set_sequence(only_sequence);
  if (packets_->first) packet.set_sequence_flags(names_begin | packet.sequence_flags());
  packets_->first = false;
  const std::size_t before = buffer_.size();
  buffer_.push_back(1 << 3 | 2);
  std::size_t length = packet.ByteSizeLong();
  for (; length >= 0x80; length >>= 7) buffer_.push_back(static_cast<char>(length | 0x80));
  buffer_.push_back(static_cast<char>(length));
  packet.AppendToString(&buffer_);
  packet.Clear();
  bytes_ += buffer_.size() - before;
  if (buffer_.size() >= buffer_bytes) flush();
}

void TimelineFile::flush() {
  std::size_t done = 0;
  while (error_ == 0 && done < buffer_.size()) {
    const ssize_t n = ::write(draft_.descriptor(), buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno != EINTR) error_ = errno;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  buffer_.clear();
}

void TimelineFile::finish() {
  flush();
  if (error_ == 0 && !write_to_disk(draft_.descriptor(), "")) error_ = errno;
  if (error_ != 0) throw ConfigError("cannot write '" + path_ + "': " + std::strerror(error_));
  draft_.commit(path_);
}

}  // namespace strata::platforms
