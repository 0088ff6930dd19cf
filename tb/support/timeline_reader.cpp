#include "tb/support/timeline_reader.h"

#include <fstream>
#include <stdexcept>

#include "platforms/report/timeline/perfetto.pb.h"

namespace strata::tb {
namespace {

struct Reader {
  using Names = std::map<std::uint64_t, std::string>;
  struct Track {
    std::string name;
    std::uint64_t parent = 0;
    std::vector<ReadSlice> open;
    Cycle time = 0;
  };

  [[noreturn]] static void refuse(const std::string& why) { throw std::runtime_error("timeline: " + why); }

  static const std::string& known(const Names& names, std::uint64_t iid) {
    const auto found = names.find(iid);
    if (found == names.end()) refuse("an unknown name");
    return found->second;
  }

  template <class Rows>
  static void learn(Names& names, const Rows& rows) {
    for (const auto& row : rows) names[row.iid()] = row.name();
  }

  Track& track(std::uint64_t uuid) {
    const auto found = tracks.find(uuid);
    if (found == tracks.end()) refuse("a track that was not described");
    return found->second;
  }

  void take(const perfetto::Packet& packet) {
    if (packet.sequence() == 0) refuse("a packet of no sequence");
    learn(events, packet.interned().event());
    learn(categories, packet.interned().category());
    learn(note_names, packet.interned().note());
    if (packet.has_track()) {
      if (packet.track().has_parent()) track(packet.track().parent());
      tracks[packet.track().uuid()] = {packet.track().name(), packet.track().parent(), {}, 0};
    }
    if (packet.has_event()) take(packet.event(), packet.timestamp());
  }

  void take(const perfetto::Event& event, Cycle at) {
    Track& where = track(event.track());
    if (at < where.time) refuse("time runs backwards in a lane");
    where.time = at;
    if (event.type() == 1) return begin(where, event, at);
    if (event.type() != 2 || where.open.empty()) refuse("an end without a begin");
    ReadSlice slice = std::move(where.open.back());
    where.open.pop_back();
    slice.end = at;
    (where.open.empty() ? slices : where.open.back().inner).push_back(std::move(slice));
  }

  void begin(Track& where, const perfetto::Event& event, Cycle at) {
    ReadSlice slice;
    slice.track = where.name;
    slice.group = where.parent == 0 ? "" : track(where.parent).name;
    slice.lane = event.track();
    slice.name = known(events, event.name());
    slice.category = known(categories, event.category(0));
    slice.begin = at;
    if (event.flow_size() != 0) slice.flow = event.flow(0);
    for (const perfetto::Note& note : event.note())
      slice.notes[known(note_names, note.name())] = note.has_address() ? note.address()
                                                    : note.has_truth() ? 1
                                                                       : note.number();
    where.open.push_back(std::move(slice));
  }

  Names events, categories, note_names;
  std::map<std::uint64_t, Track> tracks;
  std::vector<ReadSlice> slices;
};

}  // namespace

std::vector<ReadSlice> read_timeline(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  perfetto::Trace trace;
  if (!file || !trace.ParseFromIstream(&file)) Reader::refuse("not to be read: " + path);
  if (trace.packet_size() != 0 && (trace.packet(0).sequence_flags() & 1U) == 0)
    Reader::refuse("the first packet does not say that names begin");
  Reader reader;
  for (const perfetto::Packet& packet : trace.packet()) reader.take(packet);
  for (const auto& [uuid, track] : reader.tracks)
    if (!track.open.empty()) Reader::refuse("a slice that does not end");
  return std::move(reader.slices);
}

}  // namespace strata::tb
