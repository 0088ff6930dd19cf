#include "tb/support/image_memory.h"

#include <deque>
#include <random>

#include "models/tlm/ports.h"

namespace strata::tb {
namespace {

struct ImageParams final : ParamSet {
  int slices = 4;
  void for_each_param(ParamVisitor& visitor) override {
    visitor.integer({"slices", "slices", "LLC slices of this controller"}, slices, {1, 64});
  }
};

struct ImageStats final : StatSet {
  std::uint64_t requests = 0;
  std::uint64_t replies = 0;
  std::uint64_t writes = 0;
  void for_each_stat(StatVisitor& visitor) const override {
    visitor.counter({"requests", "requests", "requests taken"}, requests);
    visitor.counter({"replies", "replies", "replies sent"}, replies);
    visitor.counter({"writes", "requests", "writes among the requests"}, writes);
    visitor.law("requests = replies");
  }
};

class ImageMemory final : public Block {
 public:
  ImageMemory(sc_core::sc_module_name name, const ImageParams& params, const BuildContext& context)
      : Block(name, context.clock, 2 * params.slices),
        random_(context.seed + static_cast<unsigned>(context.index)) {
    for (int s = 0; s < params.slices; ++s) ports_.emplace_back(*this, "slice", s);
    pending_.resize(ports_.size());
    free_.resize(ports_.size());
  }

  Accept request(Txn& txn, int port, Cycle at) override {
    if (random_() % 4 == 0) {
      book(at + 1 + random_() % 20, 2 * port + 1);
      return Accept::held();
    }
    take(txn, port, at);
    return Accept::taken(at + 1);
  }
  void advance(Cycle now, int unit) override {
    TargetPort& port = ports_[static_cast<std::size_t>(unit / 2)];
    if (unit % 2 == 1) {
      Txn& txn = *port.held();
      port.accept(now + 1);
      return take(txn, unit / 2, now);
    }
    Queue& queue = pending_[static_cast<std::size_t>(unit / 2)];
    if (queue.empty() || port.response_blocked()) return;
    Cycle& free = free_[static_cast<std::size_t>(unit / 2)];
    const Cycle due = std::max(queue.begin()->first, free);
    if (due > now) return book(due, unit);
    Txn& txn = *queue.begin()->second;
    queue.erase(queue.begin());
    txn.access().ledger.charge(place_for(Cause::access), clock().ledger_at(now));
    ++stats_.replies;
    const Accept accept = port.respond(txn);
    if (accept.is_held()) return;
    free = std::max(accept.at, now + 1);
    if (!queue.empty()) book(free, unit);
  }
  void response_unblocked(int port, Cycle at) override {
    free_[static_cast<std::size_t>(port)] = at;
    book(at, 2 * port);
  }
  unsigned debug(tlm::tlm_generic_payload& payload, int) override {
    for (unsigned i = 0; i < payload.get_data_length(); ++i)
      payload.get_data_ptr()[i] =
          image_.count(payload.get_address() / sector_bytes + i / sector_bytes) != 0 ? 1 : 0;
    return payload.get_data_length();
  }
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}
  std::uint64_t writes() const { return stats_.writes; }

 private:
  using Queue = std::multimap<Cycle, Txn*>;

  void take(Txn& txn, int port, Cycle at) {
    const Access& access = txn.access();
    ++stats_.requests;
    if (access.access_class == AccessClass::writeback) {
      ++stats_.writes;
      for (unsigned sector = 0; sector < 8; ++sector)
        if ((access.sectors >> sector & 1U) != 0) image_[access.line / sector_bytes + sector] = true;
    }
    const Cycle ready = at + 40 + random_() % 100;
    pending_[static_cast<std::size_t>(port)].emplace(ready, &txn);
    book(ready, 2 * port);
  }

  std::mt19937_64 random_;
  std::deque<TargetPort> ports_;
  std::vector<Queue> pending_;
  std::vector<Cycle> free_;
  std::map<Address, bool> image_;  // by sector
  ImageStats stats_;
};

}  // namespace

const ModuleKind& image_memory_kind() {
  static const ModuleKind kind = {
      "image_memory",
      "memory that remembers which bytes were written",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<ImageParams>(); },
      [](const ParamSet& params) {
        return std::vector<PortSpec>{{"slice", PortRole::target,
                                      static_cast<const ImageParams&>(params).slices, false, "tlm",
                                      "requests of slice i"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<ImageMemory>(name, static_cast<const ImageParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<ImageStats>(); }};
  return kind;
}

std::uint64_t writes_of(const Block& image_memory) {
  return dynamic_cast<const ImageMemory&>(image_memory).writes();
}

}  // namespace strata::tb
