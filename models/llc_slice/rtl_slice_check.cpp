#include "models/llc_slice/rtl_slice_check.h"

#include <algorithm>

#include "models/common/text.h"

namespace strata {
namespace {

constexpr const char* verdicts[] = {"none", "hit", "miss", "merge", "allocation without a fetch"};

std::string differ(const std::string& model, const std::string& rtl) {
  return "the model: " + model + ", the RTL: " + rtl;
}

std::string verdict_of(const LlcDecision& decision) {
  switch (decision.outcome) {
    case LlcOutcome::hit:
      return verdicts[1];
    case LlcOutcome::miss_new:
      return verdicts[2];
    case LlcOutcome::miss_merged:
      return verdicts[3];
    case LlcOutcome::done:
      return verdicts[4];
    default:
      return decision.stall == LlcStall::mshr_full     ? "stall, no MSHR is free"
             : decision.stall == LlcStall::merge_limit ? "stall, no more may wait for the line"
                                                       : "stall, the write queue is full";
  }
}

std::string leaving(bool evict, bool dirty) {
  return !evict ? "no line leaves" : dirty ? "a dirty line leaves" : "a clean line leaves";
}

}  // namespace

RtlSliceCheck::RtlSliceCheck(const LlcSliceParams& params, const AddressMap& map, int ids)
    : params_(params), core_(params, map), copies_(static_cast<std::size_t>(ids)) {}

std::string RtlSliceCheck::note_write(const MemoryWrite& write) {
  if (!write) return {};
  writes_.push_back(write.line);
  if (static_cast<int>(writes_.size()) <= params_.write_queue) return {};
  return differ(
      "line " + hex_text(writes_.front()) + " is written back",
      "it has not left, though " + std::to_string(params_.write_queue) + " others should have since");
}

std::string RtlSliceCheck::decision(const RtlSliceOut& rtl, const Access& access, Cycle now, bool whole) {
  ++decisions_;
  Access& copy = copies_[rtl.ev_id];
  copy = access;
  copy.next = nullptr;
  if (!whole && __builtin_popcount(copy.sectors) > 1)
    copy.sectors &= static_cast<std::uint8_t>(copy.sectors - 1);  // it does not bring all of its line
  const std::uint64_t evicted = core_.stats().evictions;
  const LlcDecision decision = core_.begin(copy, 0);
  const std::string model = verdict_of(decision), found = verdicts[rtl.ev];
  if (model != found) return differ(model, found);
  const bool evicts = core_.stats().evictions != evicted, dirty = static_cast<bool>(decision.write);
  if (evicts != rtl.ev_evict || dirty != rtl.ev_dirty)
    return differ(leaving(evicts, dirty), leaving(rtl.ev_evict, rtl.ev_dirty));
  if (decision.outcome == LlcOutcome::hit || decision.outcome == LlcOutcome::done)
    replies_.push_back({rtl.ev_id, now});
  return note_write(decision.write);
}

std::string RtlSliceCheck::fill(Address line, const RtlSliceOut& rtl, Cycle now) {
  const int mshr = core_.mshrs().find(line / params_.line);
  if (mshr == MshrFile::none) return differ("the line is not being fetched", "it is filled");
  const std::uint64_t evicted = core_.stats().evictions;
  LlcFilled filled = core_.fill(mshr, core_.mshrs().under_way(mshr));
  const bool evicts = core_.stats().evictions != evicted, dirty = static_cast<bool>(filled.victim);
  while (!filled.waiters.empty())
    replies_.push_back({static_cast<int>(&filled.waiters.pop() - copies_.data()), now});
  if (evicts != rtl.fill_evict || dirty != rtl.fill_dirty)
    return differ(leaving(evicts, dirty), leaving(rtl.fill_evict, rtl.fill_dirty));
  return note_write(filled.victim);
}

std::string RtlSliceCheck::write(Address line) {
  if (writes_.empty() && flush_writes_.erase(line) == 1) return {};
  const std::string model = !writes_.empty() ? "line " + hex_text(writes_.front()) + " is written back next"
                                             : "no line is written back";
  if (writes_.empty() || writes_.front() != line) return differ(model, hex_text(line) + " is");
  writes_.pop_front();
  core_.write_departed();
  return {};
}

std::string RtlSliceCheck::reply(int id) {
  const auto text = [this](int request) {
    return "the request to line " + hex_text(copies_[static_cast<std::size_t>(request)].line) + " by SM " +
           std::to_string(copies_[static_cast<std::size_t>(request)].sm) + " is answered next";
  };
  if (replies_.empty()) return differ("nothing is to be answered", text(id));
  // Which of two goes first that became ready together, or in cycles that follow each other, is the RTL's to
  // say.
  const auto found =
      std::find_if(replies_.begin(), replies_.end(), [id](const Reply& reply) { return reply.id == id; });
  if (found == replies_.end() || found->since > replies_.front().since + 1)
    return differ(text(replies_.front().id), text(id));
  replies_.erase(found);
  return {};
}

void RtlSliceCheck::flush(LlcFlush what) {
  MemoryWrite write;
  while (core_.flush_step(what, every_application, write)) {
    flush_writes_.insert(write.line);
    core_.write_departed();
  }
}

std::string RtlSliceCheck::flushed() const {
  if (writes_.empty() && flush_writes_.empty()) return {};
  return differ(
      "line " + hex_text(writes_.empty() ? *flush_writes_.begin() : writes_.front()) + " is written back",
      "it never was");
}

}  // namespace strata
