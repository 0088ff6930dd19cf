// The part of LlcSliceCore that drops and writes back lines, and looks after those that are only read.
#include "models/llc_slice/llc_slice_core.h"

namespace strata {
bool LlcSliceCore::take_read_only_store(Address& line) {
  if (!read_only_stored_) return false;
  read_only_stored_ = false;
  line = read_only_line_;
  return true;
}

// Where lines have no replicas, a line may well be read-only in one kernel and written by the next.
void LlcSliceCore::note_read_only_store(const Access& access) {
  const int application = static_cast<int>(application_place(access.application));
  if ((replicating_ & only_application(application)) == 0) return;
  ++stats_.read_only_stores;
  read_only_stored_ = true;
  read_only_line_ = access.line;
}

bool LlcSliceCore::is_replica(const TagEntry& entry) const {
  const Location home = map_.locate(entry.number() << line_bits_);
  return home.channel * map_.slices_per_channel() + home.slice != own_slice_;
}

// What a slice holds beside its own lines. Its own may be written by the next kernel: they are ordinary
// lines.
void LlcSliceCore::drop_replicas(ApplicationSet whose) {
  stats_.flushed_lines += tags_.drop([&](TagEntry& entry) {
    if (!belongs(entry.owner(), whose)) return false;
    if (entry.read_only() && is_replica(entry)) return true;
    entry.set_read_only(false);
    return false;
  });
}

void LlcSliceCore::forget_read_only(ApplicationSet whose) {
  tags_.drop([&](TagEntry& entry) {
    if (belongs(entry.owner(), whose)) entry.set_read_only(false);
    return false;
  });
}

bool LlcSliceCore::flush_step(LlcFlush what, ApplicationSet whose, MemoryWrite& write) {
  if (what == LlcFlush::replicas) {
    ++stats_.flushes;
    drop_replicas(whose);
    return false;
  }
  for (; flush_set_ < tags_.sets(); ++flush_set_) {
    WayMask dirty = 0;
    for (int way = 0; way < tags_.ways(); ++way) {
      const TagEntry& entry = tags_.entry(flush_set_, way);
      if (entry.dirty() && belongs(entry.owner(), whose)) dirty |= only_way(way);
    }
    if (dirty == 0) continue;
    const int way = tags_.keeper(flush_set_, dirty);
    TagEntry& entry = tags_.entry(flush_set_, way);
    write = write_back(entry, tags_.state(flush_set_, way));
    entry.set_dirty(false);
    tags_.state(flush_set_, way).dirty = 0;
    ++stats_.flush_writes;
    return true;
  }
  flush_set_ = 0;
  if (what == LlcFlush::none) {
    ++stats_.write_backs;
    return false;
  }
  ++stats_.flushes;
  stats_.flushed_lines += tags_.drop([&](const TagEntry& entry) { return belongs(entry.owner(), whose); });
  return false;
}

void LlcSliceCore::drop_all() {
  ++stats_.flushes;
  stats_.flushed_lines += tags_.drop([](const TagEntry&) { return true; });
}

void LlcSliceCore::warm(Address line) {
  const std::uint64_t number = line >> line_bits_;
  if (mshrs_.find(number) != MshrFile::none) return;
  const std::uint32_t set = index_(line);
  const int present = tags_.find(set, number);
  const int way = present == TagArray::absent ? tags_.room(set) : present;
  if (way == SectoredTags::none_free || (present == TagArray::absent && tags_.entry(set, way).dirty()))
    return;
  if (present != TagArray::absent) {
    tags_.hit(set, way);
    tags_.state(set, way).valid = sectors_.line();
  } else {
    tags_.install(set, way, TagEntry(number, 0, false), {sectors_.line(), 0});
  }
}

}  // namespace strata
