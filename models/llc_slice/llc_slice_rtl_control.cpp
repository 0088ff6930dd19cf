// The part of an LLC slice in RTL that its surroundings ask: control, end of the run, whether it fits.
#include "models/llc_slice/llc_slice_rtl.h"

namespace strata {

void LlcSliceRtl::begin_flush(LlcFlush what, ApplicationSet, SliceFlushDoneIf& done, int id) {
  if (what == LlcFlush::replicas) SC_REPORT_ERROR(name(), "RTL has no replicas to drop");
  flush_what_ = what;
  flush_done_ = &done;
  flush_id_ = id;
  book(clock().now() + 1);
}

void LlcSliceRtl::set_write_through(ApplicationSet, bool through) {
  if (through) SC_REPORT_ERROR(name(), "RTL writes back only, and llc_control asks for write-through");
}

void LlcSliceRtl::expect_replicas(ApplicationSet, int) {
  SC_REPORT_ERROR(name(), "RTL cannot hold replicas, which llc_control wants here");
}

// The tags are in the RTL.
void LlcSliceRtl::warm_line(Address) {
  if (!told_warm_) SC_REPORT_WARNING(name(), "lines that copies from the host leave are not put into RTL");
  told_warm_ = true;
}

void LlcSliceRtl::reset_stats() {
  stats_ = {};
  stats_.by_sector = false;
  stats_.prefetch.reported = false;
  stats_.by_lanes = false;
  stats_.by_decision = shape_.event_port;
  counts_ = {};
  for (LlcApplicationCounts& one : counts_) one.by_decision = shape_.event_port;
}

Evidence LlcSliceRtl::evidence() {
  if (differed_ == never) return {};
  return {"waves.fst", replay_->waves(*rtl_), replay_->span() + " of " + name() + "; 1 ns is a cycle"};
}

// What the run asks of it.
void LlcSliceRtl::check_use(bool checked) const {
  Faults faults;
  const auto blame = [&](const char* key, const std::string& message) {
    faults.push_back({{}, std::string(name()) + "." + key + ": " + message});
  };
  if (checked && !shape_.event_port)
    blame("check", "model compares decisions, and the RTL has no event port");
  if (carried_ && static_cast<Address>(shape_.line_bytes) != params_.line.count)
    blame("timing", "the RTL holds " +
                        (shape_.line_bytes == 0 ? std::string("no bytes")
                                                : "bytes of lines of " + std::to_string(shape_.line_bytes)) +
                        ", and run.data is carried; allowed with it: at, lt, or run.data: none");
  if (!faults.empty()) throw ConfigError(faults);
}

Faults LlcSliceRtl::check_idle() const {
  Faults faults;
  const auto blame = [&](std::string message) { faults.push_back({{name(), 0, 0}, std::move(message)}); };
  if (const std::size_t inside = slots_.size() - free_.size(); inside != 0)
    blame(std::to_string(inside) + " requests are in the RTL");
  if (writes_out_ != 0) blame(std::to_string(writes_out_) + " writes were never acknowledged");
  if (noc.holding()) blame("a request is held back");
  if (flushing()) blame("a flush is not finished");
  if (pool_.in_use() != 0) blame(std::to_string(pool_.in_use()) + " transactions were never released");
  if (check_ != nullptr)
    if (const std::string left = check_->flushed(); !left.empty())
      blame("the RTL differs from the model: " + left);
  return faults;
}

std::vector<WaitNote> LlcSliceRtl::waits() const {
  std::vector<WaitNote> notes;
  const auto inside = static_cast<int>(slots_.size() - free_.size());
  if (noc.holding()) notes.push_back({"request held back", name(), 1, 1, &noc.held()->access()});
  if (undecided_ != 0)
    notes.push_back({"requests that the RTL has not decided", name(), undecided_,
                     static_cast<int>(slots_.size()), nullptr});
  if (!waiting_.empty())
    notes.push_back({"MSHRs", mem.peer(), static_cast<int>(waiting_.size()), params_.mshrs, nullptr});
  if (noc.response_blocked())
    notes.push_back({"replies", "", inside, static_cast<int>(slots_.size()), nullptr});
  return notes;
}

Faults check_rtl_slice(const ParamSet& params, const RtlModule& design) {
  const auto& wanted = static_cast<const LlcSliceParams&>(params);
  const auto* slice = dynamic_cast<const RtlSlice*>(&design);
  if (slice == nullptr) return {{{}, "the RTL of llc_slice is no RtlSlice"}};
  const RtlSliceShape made = slice->shape();
  Faults faults;
  const auto compare = [&](const char* key, auto value, auto allowed) {
    if (value != allowed)
      faults.push_back(param_fault(
          key, "is " + std::to_string(value) + ", and the RTL was made for " + std::to_string(allowed)));
  };
  compare("ways", wanted.ways, made.ways);
  if (const auto sets = static_cast<std::uint64_t>(made.sets);
      wanted.sets() != sets && wanted.ways == made.ways)
    faults.push_back(param_fault("size", "gives " + std::to_string(wanted.sets()) +
                                             " sets, and the RTL was made for " + std::to_string(sets)));
  compare("latency", wanted.latency, made.latency);
  compare("lookup", wanted.lookup_cycles(), made.latency);
  compare("mshrs", wanted.mshrs, made.mshrs);
  compare("merges", wanted.merges, made.merges);
  compare("request_queue", wanted.request_queue, made.request_queue);
  compare("reply_queue", wanted.reply_queue, made.reply_queue);
  compare("write_queue", wanted.write_queue, made.write_queue);
  const auto refuse = [&](const char* key, bool fits, const char* knows) {
    if (!fits) faults.push_back(param_fault(key, std::string("is not what RTL knows: ") + knows));
  };
  refuse("write", wanted.write == LlcSliceParams::Write::back, "back");
  refuse("replacement", wanted.replacement == 0, "lru");
  refuse("sector", wanted.sector == 0 || wanted.sector == wanted.line, "0, whole lines");
  refuse("allocation", wanted.allocation == Allocation::on_fill, "on_fill");
  refuse("mshr_sectors", wanted.mshr_sectors == 0, "0");
  refuse("prefetcher", !wanted.prefetches(), "none");
  refuse("atomic_lanes_per_cycle", wanted.atomic_lanes_per_cycle == 0, "0");
  return faults;
}

const RtlPlace& llc_slice_rtl_place() {
  static const RtlPlace place = {check_rtl_slice,
                                 [](const char* name, const ParamSet& params, const BuildContext& context,
                                    std::unique_ptr<RtlModule> design) -> std::unique_ptr<Block> {
                                   std::unique_ptr<RtlSlice> slice(dynamic_cast<RtlSlice*>(design.release()));
                                   return std::make_unique<LlcSliceRtl>(
                                       name, static_cast<const LlcSliceParams&>(params), context,
                                       std::move(slice));
                                 }};
  return place;
}

}  // namespace strata
