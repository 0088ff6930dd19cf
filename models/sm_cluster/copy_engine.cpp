#include "models/sm_cluster/copy_engine.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace strata {
namespace {

constexpr int usual_depth = 16;  // parts of copies; the queue grows

}  // namespace

CopyEngine::CopyEngine(const SmClusterParams& params)
    : start_latency_(static_cast<Cycle>(params.tma_latency)),
      most_in_flight_(static_cast<unsigned>(params.tma_in_flight)),
      cycles_per_line_(std::max<Cycle>(1, params.line.count / params.tma_bytes_per_cycle)),
      queue_(usual_depth, static_cast<unsigned>(params.line.count), params.replies == ReplyData::words,
             params.asks == Asked::parts),
      transfers_(most_transfers),
      open_(static_cast<std::size_t>(params.warps), -1),
      last_(static_cast<std::size_t>(params.warps), -1),
      groups_(static_cast<std::size_t>(params.warps)),
      reported_(static_cast<std::size_t>(params.warps)) {}

// The warp's present copy, -1 when there is no place for one.
int CopyEngine::open_of(int warp) {
  std::int16_t& open = open_[static_cast<std::size_t>(warp)];
  if (open >= 0) return open;
  const auto unused = std::find_if(transfers_.begin(), transfers_.end(),
                                   [](const Transfer& transfer) { return !transfer.used; });
  if (unused == transfers_.end()) return -1;
  unused->used = true;
  unused->report.warp = warp;
  open = static_cast<std::int16_t>(unused - transfers_.begin());
  return open;
}

bool CopyEngine::add(MemoryOp op, unsigned lines, Cycle now) {
  const int open = open_of(op.warp);
  if (open < 0) return false;
  if (lines == 0) return true;
  Transfer& transfer = transfers_[static_cast<std::size_t>(open)];
  transfer.lines += lines;
  transfer.lines_left += lines;
  op.slot = static_cast<std::uint8_t>(first_slot + open);
  op.entered = now + start_latency_;
  queue_.push(op);
  return true;
}

bool CopyEngine::close_for_barrier(int warp, std::uint8_t cta_place, std::uint32_t address,
                                   std::int64_t bytes) {
  const auto place = static_cast<std::size_t>(warp);
  std::int16_t& open = open_[place];
  if (open < 0) {
    if (last_[place] < 0) return true;  // a copy of no bytes
    transfers_[static_cast<std::size_t>(last_[place])].report.reports.push_back({address, bytes});
    return false;
  }
  Transfer& transfer = transfers_[static_cast<std::size_t>(open)];
  last_[place] = std::exchange(open, std::int16_t{-1});
  if (transfer.lines_left == 0) {
    transfer = Transfer{};
    last_[place] = -1;
    return true;
  }
  transfer.closed = true;
  transfer.report = {true, warp, cta_place, {{address, bytes}}};
  return false;
}

unsigned CopyEngine::lines_reported(int warp, std::uint32_t instructions_left) {
  const auto place = static_cast<std::size_t>(warp);
  Reported& last = reported_[place];
  const bool follows = last.instructions_left == instructions_left + 1;
  if (open_[place] >= 0)
    last.lines = transfers_[static_cast<std::size_t>(open_[place])].lines;
  else if (!follows)
    last.lines = 0;
  last.instructions_left = instructions_left;
  return last.lines;
}

void CopyEngine::close_for_group(int warp) {
  const auto place = static_cast<std::size_t>(warp);
  const std::uint32_t group = ++groups_[place];
  if (open_[place] < 0) return;
  Transfer& transfer = transfers_[static_cast<std::size_t>(open_[place])];
  open_[place] = -1;
  if (transfer.lines_left == 0) {
    transfer = Transfer{};
    return;
  }
  transfer.closed = true;
  transfer.group = group;
  transfer.report = {true, warp, 0, {}};
}

bool CopyEngine::groups_landed(int warp, unsigned groups_left) const {
  const std::uint32_t newest = groups_[static_cast<std::size_t>(warp)];
  return std::none_of(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
    return transfer.closed && transfer.group != 0 && transfer.report.warp == warp &&
           transfer.group + groups_left <= newest;
  });
}

bool CopyEngine::idle(int warp) const {
  return std::none_of(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
    return transfer.used && transfer.lines_left != 0 && transfer.report.warp == warp;
  });
}

void CopyEngine::forget(int warp) {
  std::int16_t& open = open_[static_cast<std::size_t>(warp)];
  if (open >= 0) transfers_[static_cast<std::size_t>(open)] = Transfer{};
  open = last_[static_cast<std::size_t>(warp)] = -1;
  groups_[static_cast<std::size_t>(warp)] = 0;
  reported_[static_cast<std::size_t>(warp)] = {};
}

Cycle CopyEngine::next_turn(Cycle now) const {
  if (!any_waiting() || lines_in_flight_ >= most_in_flight_) return never;
  return std::max({now + 1, next_line_, queue_.head().entered + 1});
}

void CopyEngine::line_sent(Cycle now) {
  ++lines_in_flight_;
  next_line_ = now + cycles_per_line_;
  if (queue_.sent(now)) queue_.pop();
}

CopyEngine::Landed CopyEngine::answered(std::uint8_t slot) {
  --lines_in_flight_;
  Transfer& transfer = transfers_[static_cast<std::size_t>(slot - first_slot)];
  assert(transfer.lines_left != 0);
  if (--transfer.lines_left != 0 || !transfer.closed) return {};
  Landed landed = std::move(transfer.report);
  transfer = Transfer{};
  std::int16_t& last = last_[static_cast<std::size_t>(landed.warp)];
  if (last == slot - first_slot) last = -1;
  return landed;
}

}  // namespace strata
