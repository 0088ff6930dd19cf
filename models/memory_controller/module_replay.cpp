#include <algorithm>
#include <stdexcept>

#include "models/dram_channel/dram_channel.h"
#include "models/memory_controller/memory_controller.h"
#include "models/memory_controller/replay.h"
#include "models/tlm/txn_pool.h"

namespace strata {
namespace {

struct NoStats final : StatSet {
  void for_each_stat(StatVisitor&) const override {}
};

/// Records every command between controller and channel.
class CommandTap final : public Block {
 public:
  CommandTap(sc_core::sc_module_name name, ClockDomain& clock, const TimingSet& set,
             const std::vector<ReplayRequest>& requests, std::vector<ReplayCommand>& commands)
      : Block(name, clock),
        in(*this, "in", 0),
        out(*this, "out", 0),
        set_(set),
        requests_(requests),
        commands_(commands) {}

  Accept request(Txn& txn, int, Cycle at) override {
    const auto& attr = *txn.get_extension<DramCommandAttr>();
    const bool all = attr.command == DramCommand::refab;
    const std::int64_t id =
        attr.request < 0 ? -1
                         : static_cast<std::int64_t>(requests_[static_cast<std::size_t>(attr.request)].id);
    commands_.push_back({attr.cycle == never ? at : attr.cycle, attr.command,
                         all ? -1 : attr.bank / set_.banks_per_group,
                         all ? -1 : attr.bank % set_.banks_per_group, attr.row, attr.column, id});
    if (is_column(attr.command)) finished(static_cast<std::size_t>(attr.request), at);
    return out.send(txn);
  }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  TargetPort in;
  InitiatorPort out;
  std::vector<ReplayReply>* replies = nullptr;

 private:
  void finished(std::size_t index, Cycle at) {
    ReplayReply& reply = (*replies)[index];
    const bool read = commands_.back().command == DramCommand::rd;
    reply.cas_issue = static_cast<std::int64_t>(at);
    reply.data_end = at + static_cast<Cycle>(set_.nBL + (read ? set_.nCL : set_.nCWL));
  }

  const TimingSet& set_;
  const std::vector<ReplayRequest>& requests_;
  std::vector<ReplayCommand>& commands_;
  NoStats stats_;
};

/// One port, in order: sends each request as soon as it has arrived and the one before has been accepted.
class RequestDriver final : public Block {
 public:
  RequestDriver(sc_core::sc_module_name name, ClockDomain& clock, const MemoryControllerParams& params,
                const std::vector<ReplayRequest>& requests, std::vector<ReplayReply>& replies)
      : Block(name, clock),
        mem(*this, "mem", 0),
        set_(params.timing),
        requests_(requests),
        replies_(replies),
        sectors_(static_cast<std::uint8_t>((1U << (params.line / 32)) - 1)) {
    if (!requests_.empty()) book(requests_.front().arrive);
  }

  void advance(Cycle now, int) override {
    if (next_ == requests_.size() || mem.blocked()) return;
    const ReplayRequest& from = requests_[next_];
    if (now < std::max(free_, from.arrive)) return book(std::max(free_, from.arrive));
    Txn& txn = pool_.make(from.write ? AccessClass::writeback : AccessClass::load, address(from), sectors_,
                          ledger_now());
    const Accept accept = mem.send(txn);
    if (accept.is_taken()) request_unblocked(0, accept.at);
  }
  void request_unblocked(int, Cycle at) override {
    ReplayReply& reply = replies_[next_];
    reply.id = requests_[next_].id;
    reply.arrive = requests_[next_].arrive;
    reply.accept = at;
    free_ = at + 1;
    if (++next_ < requests_.size()) book(std::max(free_, requests_[next_].arrive));
  }
  Accept response(Txn& txn, int, Cycle at) override {
    ++answered;
    txn.release();
    return Accept::taken(at + 1);
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

  InitiatorPort mem;
  std::size_t answered = 0;

 private:
  // The inverse of Interleave::row_bank_group_column.
  Address address(const ReplayRequest& from) const {
    const auto lines = set_.row_bytes / static_cast<std::uint64_t>(set_.bytes_per_CAS);
    std::uint64_t index = static_cast<std::uint64_t>(from.row);
    index = index * static_cast<std::uint64_t>(set_.banks_per_group) + static_cast<std::uint64_t>(from.bank);
    index =
        index * static_cast<std::uint64_t>(set_.bank_groups) + static_cast<std::uint64_t>(from.bank_group);
    index = index * lines + static_cast<std::uint64_t>(from.column);
    return index * static_cast<std::uint64_t>(set_.bytes_per_CAS);
  }

  const TimingSet& set_;
  const std::vector<ReplayRequest>& requests_;
  std::vector<ReplayReply>& replies_;
  std::uint8_t sectors_;
  TxnPool pool_;
  std::size_t next_ = 0;
  Cycle free_ = 0;
  NoStats stats_;
};

// The list fixes no line size or mapping: a request is a CAS, and its place is used unchanged. A list may
// name columns beyond the row of the set; the size of a row has no influence on time.
void fit(MemoryControllerParams& params, const std::vector<ReplayRequest>& requests) {
  int most = 0;
  for (const ReplayRequest& request : requests) most = std::max(most, request.column);
  TimingSet& set = params.timing;
  const auto cas = static_cast<std::uint64_t>(set.bytes_per_CAS);
  while (set.row_bytes / cas <= static_cast<std::uint64_t>(most)) set.row_bytes = Bytes(set.row_bytes * 2);
  params.slices = 1;
  params.line = Bytes(cas);
  params.interleave = Interleave::row_bank_group_column;
  params.bank_xor = false;
  if (cas < 32 || cas > 256)
    throw ConfigError("timing set " + set.name + ": a CAS of " + std::to_string(cas) +
                      " bytes cannot be replayed; the controller serves lines of 32 to 256 bytes");
}

AddressMapParams one_channel(const MemoryControllerParams& params) {
  AddressMapParams map;
  map.channels = map.slices_per_channel = 1;
  map.line = map.partition = params.line;
  return map;
}

}  // namespace

ReplayResult replay_through_modules(MemoryControllerParams params,
                                    const std::vector<ReplayRequest>& requests) {
  fit(params, requests);
  ReplayResult result;
  result.replies.resize(requests.size());
  ClockDomain clock("clock", params.timing.clock);
  const auto map = make_address_map(one_channel(params));
  const BuildContext context{clock, *map};
  DramChannelParams channel_params;
  channel_params.timing_set = params.timing_set;
  channel_params.timing = params.timing;
  // Blocks run in the order in which they are made: in each cycle the controller, then the driver.
  MemoryController controller("controller", params, context);
  CommandTap tap("tap", clock, params.timing, requests, result.commands);
  tap.replies = &result.replies;
  DramChannel channel("channel", channel_params, context);
  RequestDriver driver("driver", clock, params, requests, result.replies);
  controller.channel().bind_to(tap.in);
  tap.out.bind_to(channel.controller());
  driver.mem.bind_to(controller.slice(0));
  sc_core::sc_start();

  if (driver.answered != requests.size() || !controller.check_idle().empty())
    throw std::logic_error("the memory controller has not answered every request");
  Cycle last = 0;
  for (ReplayReply& reply : result.replies) {
    if (reply.cas_issue < 0) reply.data_end = reply.accept + 1;  // taken from the write queue
    last = std::max(last, reply.data_end);
  }
  result.stats = controller.core().stats();
  if (!requests.empty()) result.total_cycles = last - requests.front().arrive;
  return result;
}

}  // namespace strata
