#include "platforms/report/sharing_observer.h"

namespace strata::platforms {
namespace {

bool is_load(AccessClass access_class) {
  return access_class == AccessClass::load || access_class == AccessClass::read_only_load ||
         access_class == AccessClass::texture || access_class == AccessClass::constant;
}

std::vector<SummaryRow> figures_of(const SharedData& data) {
  return {observed("shared_lines", "lines",
                   "lines that several SMs touch within a kernel, counted once per kernel", data.lines),
          observed("shared_lines_read_only", "lines", "of these: lines that only loads of that kernel touch",
                   data.read_only_lines),
          observed("shared_loads", "accesses", "loads of such lines, at the L1s and at the LLC", data.loads),
          observed("shared_loads_llc", "accesses", "of these: loads that the LLC serves", data.llc_loads)};
}

}  // namespace

void SharedData::observe(const Access& access, bool at_llc) {
  const bool load = is_load(access.access_class);
  const bool write = access.access_class == AccessClass::store || access.access_class == AccessClass::atomic;
  if (!load && !write) return;
  const auto [at, fresh] = lines_.try_emplace(access.line & ~within_line_);
  Line& line = at->second;
  if (!fresh && line.kernel != access.kernel) {
    count(line);
    line = {};
  }
  if (line.l1_loads == 0 && line.llc_loads == 0 && !line.written) {
    line.kernel = access.kernel;
    line.sm = access.sm;
  }
  line.shared = line.shared || line.sm != access.sm;
  line.written = line.written || write;
  if (load) ++(at_llc ? line.llc_loads : line.l1_loads);
}

void SharedData::count(const Line& line) {
  if (!line.shared) return;
  ++lines;
  if (!line.written) ++read_only_lines;
  loads += std::uint64_t{line.l1_loads} + line.llc_loads;
  llc_loads += line.llc_loads;
}

void SharedData::finish() {
  for (const auto& [address, line] : lines_) count(line);
  lines_.clear();
}

SharingObserver::SharingObserver(const Platform& platform) : data_(platform.address_map().line_bytes()) {
  for (const PlatformInstance& instance : platform.instances()) {
    auto* watched = dynamic_cast<WatchedAccesses*>(instance.block);
    if (watched == nullptr) continue;
    watched->watch_accesses(instance.kind->role == Role::llc ? &llc_ : &l1_);
  }
}

std::vector<SummaryRow> SharingObserver::figures() {
  data_.finish();
  return figures_of(data_);
}

std::vector<SummaryRow> describe_sharing() {
  return figures_of(SharedData());
}

}  // namespace strata::platforms
