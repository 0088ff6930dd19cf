#include "models/memory_controller/memory_controller_lt.h"

#include <algorithm>
#include <cmath>

namespace strata {
namespace {

constexpr int ledger_fraction_bits = 32;
constexpr Cycle ledger_probe = Cycle{1} << 24;  // cycles over which the clock ratio is taken

void check(const MemoryControllerParams& params, const AddressMap& map) {
  Faults faults;
  if (params.line != map.line_bytes())
    faults.push_back(param_fault("line", "is " + to_text(params.line) +
                                             " but lines of the address map have " +
                                             to_text(Bytes(map.line_bytes()))));
  if (params.refresh != RefreshPolicy::none)
    faults.push_back(param_fault("refresh", "the lt version has none; allowed here: none"));
  if (params.page_policy != PagePolicy::open)
    faults.push_back(param_fault("page_policy", "the lt version keeps rows open; allowed here: open"));
  if (!faults.empty()) throw ConfigError(faults);
}

}  // namespace

MemoryControllerLt::MemoryControllerLt(sc_core::sc_module_name module_name,
                                       const MemoryControllerParams& params, const BuildContext& context)
    : LtBlock(module_name, context.clock),
      params_(params),
      map_(context.map),
      decoder_(params),
      banks_(params),
      read_queue_(static_cast<std::size_t>(params.read_queue)),
      high_(static_cast<std::size_t>(std::floor(params.drain_high * params.write_queue)) + 1),
      low_(static_cast<std::size_t>(std::max(0.0, std::ceil(params.drain_low * params.write_queue) - 1))),
      ledger_ratio_((context.clock.ledger_at(ledger_probe) << ledger_fraction_bits) / ledger_probe),
      command_(&pool_.make(AccessClass::load, 0, 1, 0)),
      channel_(*this, "channel", 0) {
  check(params, map_);
  writes_.reserve(static_cast<std::size_t>(params.write_queue) + 1);
  for (int i = 0; i < params.slices; ++i) slice_ports_.emplace_back(*this, "slice", i);
  command_->set_extension(&command_attr_);
  command_->set_data_length(static_cast<unsigned>(params.timing.bytes_per_CAS));
  command_->set_streaming_width(static_cast<unsigned>(params.timing.bytes_per_CAS));
}

MemoryControllerLt::~MemoryControllerLt() {
  command_->clear_extension(&command_attr_);
  command_->release();
}

LtAnswer MemoryControllerLt::transport(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  if (access.access_class == AccessClass::flush) return {at, at, true};  // nothing of a cache reaches memory
  banks_.slide(clock().now());
  ++stats_.accepted;
  if (is_write(access.access_class)) return write(access, at);
  return read(txn, at);
}

// A read enters when it comes, or with the next departure from a full queue.
Cycle MemoryControllerLt::accept_read(Cycle at) {
  while (read_queue_.next() <= at) read_queue_.pop();
  if (read_queue_.size() < static_cast<std::size_t>(params_.read_queue)) return at;
  return read_queue_.pop().at;
}

LtAnswer MemoryControllerLt::read(Txn& txn, Cycle at) {
  Access& access = txn.access();
  const bool atomic = access.access_class == AccessClass::atomic;
  ++(atomic ? stats_.atomics : stats_.reads);
  const Cycle accepted = accept_read(at);
  if (accepted > at) ++stats_.read_stalls;
  const Write* newest = writes_.empty() ? nullptr : find_write(access.line);
  if (newest != nullptr && (access.chunks & ~newest->chunks) == 0) {
    ++stats_.forwarded_reads;
    access.ledger.charge(Cause::memory_queue,
                         std::max(access.ledger.mark(), clock().ledger_at(accepted + 1)));
    return {accepted, accepted + 1, false, Cause::memory_queue};
  }
  const BankCalendarLt::Service service = serve(access.line, false, accepted);
  const Cycle end = banks_.data_end(service.last_cas, false);
  read_queue_.push(service.activate != never ? service.activate : service.last_cas, 0);
  reads_end_ = std::max(reads_end_, end);
  ++stats_.reads_finished;
  stats_.read_wait += service.first_cas - accepted;
  stats_.read_latency.add(end - accepted);
  if (command_->is_response_error()) txn.set_response_status(command_->get_response_status());
  charge(access, service);
  if (atomic) {  // its write follows the data
    const BankCalendarLt::Service back = serve(access.line, true, end);
    ++stats_.writes_finished;
    stats_.write_wait += back.first_cas - end;
  }
  return {accepted, end, false, Cause::dram_bus};
}

LtAnswer MemoryControllerLt::write(Access& access, Cycle at) {
  ++stats_.writes;
  writes_.push_back({access.line, access.chunks, at});
  if (reads_end_ <= at) {
    drain(0, at);
  } else if (writes_.size() >= high_) {
    ++stats_.write_drains;
    banks_.turn(at);
    drain(low_, at);
  }
  access.ledger.charge(Cause::memory_queue, std::max(access.ledger.mark(), clock().ledger_at(at + 1)));
  return {at, at + 1, false, Cause::memory_queue};
}

// Oldest first, until `until` are left.
void MemoryControllerLt::drain(std::size_t until, Cycle now) {
  const std::size_t count = writes_.size() - until;
  for (std::size_t i = 0; i < count; ++i) {
    const Cycle accepted = std::max(writes_[i].accepted, now);
    const BankCalendarLt::Service service = serve(writes_[i].line, true, accepted);
    ++stats_.writes_finished;
    stats_.write_wait += service.first_cas - std::min(service.first_cas, writes_[i].accepted);
  }
  writes_.erase(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(count));
}

const MemoryControllerLt::Write* MemoryControllerLt::find_write(Address line) const {
  for (std::size_t i = writes_.size(); i-- > 0;)
    if (writes_[i].line == line) return &writes_[i];
  return nullptr;
}

// A request's commands issue from the cycle after its acceptance on.
BankCalendarLt::Service MemoryControllerLt::serve(Address line, bool is_write, Cycle accepted) {
  const DramLocation where =
      decoder_.decode(index_in_controller(map_, line, params_.controllers_per_channel));
  const BankCalendarLt::Service service = banks_.serve(where, is_write, accepted + 1);
  ++stats_.started;
  ++(service.precharge != never  ? stats_.row_conflicts
     : service.activate != never ? stats_.row_misses
                                 : stats_.row_hits);
  if (service.precharge != never) {
    ++stats_.precharges;
    issue(DramCommand::pre, where, line, service.precharge);
  }
  if (service.activate != never) {
    ++stats_.activates;
    issue(DramCommand::act, where, line, service.activate);
  }
  for (int i = 0; i < params_.bursts_per_line(); ++i) {
    ++stats_.bursts;
    issue(is_write ? DramCommand::wr : DramCommand::rd, where, line, service.first_cas);
  }
  return service;
}

Cycle MemoryControllerLt::issue(DramCommand command, const DramLocation& where, Address line, Cycle at) {
  command_attr_.command = command;
  command_attr_.bank = where.bank;
  command_attr_.row = where.row;
  command_attr_.column = is_column(command) ? where.column : -1;
  command_attr_.cycle = at;
  command_->set_command(command == DramCommand::rd   ? tlm::TLM_READ_COMMAND
                        : command == DramCommand::wr ? tlm::TLM_WRITE_COMMAND
                                                     : tlm::TLM_IGNORE_COMMAND);
  command_->set_address(line);
  command_->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return channel_.transport(*command_, at).done;
}

// The same milestones as the at version's, in ledger cycles by the same rounding.
void MemoryControllerLt::charge(Access& access, const BankCalendarLt::Service& service) const {
  const Cycle last = clock().ledger_at(service.last_cas);
  const auto span = [&](Cycle cycles) { return (cycles * ledger_ratio_) >> ledger_fraction_bits; };
  const auto until = [&](Cause cause, Cycle cycle) {
    const Cycle ledger = cycle >= service.last_cas ? last + span(cycle - service.last_cas)
                                                   : last - std::min(last, span(service.last_cas - cycle));
    if (ledger > access.ledger.mark()) access.ledger.charge(cause, ledger);
  };
  until(Cause::memory_queue, service.begun());
  if (service.precharge != never) until(Cause::row_conflict, service.activate);
  if (service.activate != never) until(Cause::row_activate, service.first_cas);
  until(Cause::dram_access, service.first_cas + static_cast<Cycle>(params_.timing.nCL));
  until(Cause::dram_bus, banks_.data_end(service.last_cas, false));
}

void MemoryControllerLt::settle(Cycle now) {
  if (!writes_.empty() && reads_end_ <= now) drain(0, std::max(reads_end_, writes_.back().accepted));
}

unsigned MemoryControllerLt::debug(tlm::tlm_generic_payload& payload, int) {
  return channel_.debug(payload);
}

}  // namespace strata
