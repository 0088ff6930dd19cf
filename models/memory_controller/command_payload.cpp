#include "models/memory_controller/command_payload.h"

#include <algorithm>

namespace strata {
namespace {

constexpr Cycle probe = Cycle{1} << 24;  // cycles over which the clock ratio is taken

}  // namespace

CommandPayload::CommandPayload(const TimingSet& timing) : txn_(&pool_.make(AccessClass::load, 0, 1, 0)) {
  txn_->set_extension(&attr_);
  txn_->set_data_length(static_cast<unsigned>(timing.bytes_per_CAS));
  txn_->set_streaming_width(static_cast<unsigned>(timing.bytes_per_CAS));
}

CommandPayload::~CommandPayload() {
  txn_->clear_extension(&attr_);
  txn_->release();
}

Txn& CommandPayload::fill(const IssuedCommand& issued, Cycle cycle) {
  attr_.command = issued.command;
  attr_.bank = issued.bank;
  attr_.row = issued.row;
  attr_.column = issued.column;
  attr_.request = issued.request == nullptr ? -1 : static_cast<std::int64_t>(issued.request->serial);
  attr_.cycle = cycle;
  txn_->set_command(issued.command == DramCommand::rd   ? tlm::TLM_READ_COMMAND
                    : issued.command == DramCommand::wr ? tlm::TLM_WRITE_COMMAND
                                                        : tlm::TLM_IGNORE_COMMAND);
  if (issued.request != nullptr) txn_->set_address(issued.request->id);
  txn_->set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  return *txn_;
}

ReadLedger::ReadLedger(const Block& controller, const TimingSet& timing)
    : ratio_((controller.clock().ledger_at(probe) << fraction_bits) / probe),
      access_(static_cast<Cycle>(timing.nCL)),
      data_(static_cast<Cycle>(timing.nCL + timing.nBL)),
      queue_(controller.place_for(Cause::queue)),
      activate_(controller.place_for(Cause::activate)),
      conflict_(controller.place_for(Cause::conflict)),
      access_place_(controller.place_for(Cause::access)),
      bus_(controller.place_for(Cause::bus)) {}

void ReadLedger::charge(const DramRequest& request, Access& access, Cycle now, Cycle ledger) const {
  const auto at = [&](Cycle cycle) {
    const Cycle when =
        cycle >= now ? ledger + span(cycle - now) : ledger - std::min(ledger, span(now - cycle));
    return std::max(when, access.ledger.mark());
  };
  Ledger& l = access.ledger;
  l.charge(queue_, at(request.first_command));
  if (request.conflict)
    l.charge(conflict_, at(request.activated != never ? request.activated : request.first_cas));
  if (request.activated != never) l.charge(activate_, at(request.first_cas));
  l.charge(access_place_, at(request.first_cas + access_));
  l.charge(bus_, at(now + data_));
}

}  // namespace strata
