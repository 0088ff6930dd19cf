#include "models/dram_channel/dram_channel_core.h"

#include <algorithm>
#include <cstring>

namespace strata {

void DramChannelParams::for_each_param(ParamVisitor& v) {
  v.text({"timing_set", "",
          "name of the timing set: a file, without .yaml, of timing_sets beside the netlist or of those that "
          "Strata comes with"},
         timing_set);
  v.flag({"check", "", "report every command that breaks a rule of the timing set"}, check);
}

Faults DramChannelParams::validate() const {
  return validate_timing();
}

DramChannelCore::DramChannelCore(const DramChannelParams& params)
    : params_(params), checker_(params.timing), banks_(static_cast<std::size_t>(params.timing.banks())) {}

void DramChannelCore::open(BankState& bank, std::int64_t row, Cycle now) {
  if (bank.row >= 0) close(bank, now);  // illegal; reported by the checker
  bank.row = row;
  bank.opened = now;
  if (open_banks_++ == 0) any_open_since_ = now;
  ++stats_.open_now;
}

// A late PRE may lie before the last settle: the difference is then negative and takes back what
// was counted too much (unsigned arithmetic wraps).
void DramChannelCore::close(BankState& bank, Cycle now) {
  if (bank.row < 0) return;  // illegal; reported by the checker
  bank.row = -1;
  stats_.open_bank_cycles += now - bank.opened;
  if (--open_banks_ == 0) stats_.any_open_cycles += now - any_open_since_;
  --stats_.open_now;
}

Cycle DramChannelCore::transfer(DramCommand command, Cycle now) {
  const TimingSet& t = params_.timing;
  const auto bytes = static_cast<std::uint64_t>(t.bytes_per_CAS);
  stats_.data_bus_busy += static_cast<std::uint64_t>(t.nBL);
  turn_to(command);
  if (command == DramCommand::rd) {
    ++stats_.read_bursts;
    stats_.bytes_read += bytes;
    return now + static_cast<Cycle>(t.nCL + t.nBL);
  }
  ++stats_.write_bursts;
  stats_.bytes_written += bytes;
  return now + static_cast<Cycle>(t.nCWL + t.nBL);
}

Cycle DramChannelCore::execute(DramCommand command, int bank, std::int64_t row, Cycle now) {
  const Cycle counted = std::max(now, base_);  // statistics begin with their reset
  if (params_.check && !checker_.check(command, bank, row, now).empty()) ++stats_.illegal_commands;
  ++stats_.commands;
  BankState& state = banks_[static_cast<std::size_t>(bank)];
  switch (command) {
    case DramCommand::act:
      ++stats_.activates;
      open(state, row, counted);
      return now;
    case DramCommand::pre:
      ++stats_.precharges;
      close(state, counted);
      return now;
    case DramCommand::rd:
    case DramCommand::wr:
      return transfer(command, now);
    case DramCommand::refab:
      ++stats_.refreshes;
      return now;
    case DramCommand::refpb:
      ++stats_.bank_refreshes;
      return now;
  }
  return now;
}

void DramChannelCore::settle(Cycle now) {
  stats_.cycles = now - base_;
  for (BankState& bank : banks_) {
    if (bank.row < 0) continue;
    stats_.open_bank_cycles += now - bank.opened;
    bank.opened = now;
  }
  if (open_banks_ > 0) {
    stats_.any_open_cycles += now - any_open_since_;
    any_open_since_ = now;
  }
}

void DramChannelCore::reset_stats(Cycle now) {
  settle(now);
  stats_ = {};
  stats_.open_at_reset = stats_.open_now = static_cast<std::uint64_t>(open_banks_);
  base_ = now;
}

void SparseMemory::read(Address address, unsigned char* to, std::size_t length) const {
  while (length > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min(length, page_bytes - offset);
    const auto page = pages_.find(address / page_bytes);
    if (page == pages_.end()) {
      std::memset(to, 0, part);
    } else {
      std::memcpy(to, page->second.get() + offset, part);
    }
    address += part;
    to += part;
    length -= part;
  }
}

void SparseMemory::write(Address address, const unsigned char* from, std::size_t length) {
  while (length > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t part = std::min(length, page_bytes - offset);
    Page& page = pages_[address / page_bytes];
    if (page == nullptr) page = std::make_unique<unsigned char[]>(page_bytes);  // zeroed
    std::memcpy(page.get() + offset, from, part);
    address += part;
    from += part;
    length -= part;
  }
}

}  // namespace strata
