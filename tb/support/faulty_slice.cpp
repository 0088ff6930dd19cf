#include "tb/support/faulty_slice.h"

#include <stdexcept>

#include "models/tlm/ports.h"

namespace strata::tb {
namespace {

constexpr Cycle latency = 20;

enum class Mistake : int {
  none,
  drop_reply,
  repeat_reply,
  keep_reference,
  charge_nothing,
  charge_twice,
  reopen_ledger,
  error_status,
  spin,
  warn,
  report_error,
  report_fatal,
  throw_exception
};

struct FaultyParams final : ParamSet {
  Mistake fault = Mistake::none;
  int at = 3;
  void for_each_param(ParamVisitor& v) override {
    v.choice({"fault", "", "the mistake"}, fault,
             {{Mistake::none, "none"},
              {Mistake::drop_reply, "drop_reply"},
              {Mistake::repeat_reply, "repeat_reply"},
              {Mistake::keep_reference, "keep_reference"},
              {Mistake::charge_nothing, "charge_nothing"},
              {Mistake::charge_twice, "charge_twice"},
              {Mistake::reopen_ledger, "reopen_ledger"},
              {Mistake::error_status, "error_status"},
              {Mistake::spin, "spin"},
              {Mistake::warn, "warn"},
              {Mistake::report_error, "report_error"},
              {Mistake::report_fatal, "report_fatal"},
              {Mistake::throw_exception, "throw"}});
    v.integer({"at", "replies", "which answer it is made with"}, at, {1, 1'000'000});
  }
};

struct FaultyStats final : StatSet {
  std::uint64_t requests = 0;
  std::uint64_t replies = 0;
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"requests", "requests", "requests taken"}, requests);
    v.counter({"replies", "replies", "answers sent"}, replies);
    v.law("requests = replies");
  }
};

class FaultySlice final : public Block {
 public:
  FaultySlice(sc_core::sc_module_name name, const FaultyParams& params, const BuildContext& context)
      : Block(name, context.clock), params_(params) {}

  Accept request(Txn& txn, int, Cycle at) override {
    Access& access = txn.access();
    if (params_.fault != Mistake::charge_nothing) charge(access, Cause::request_link, clock().ledger_at(at));
    ++stats_.requests;
    access.ready = at + latency;
    if (waiting_.empty() && !noc_.response_blocked()) book(std::max(access.ready, free_));
    waiting_.push(access);
    return Accept::taken(at + access.flits);
  }

  void response_unblocked(int, Cycle at) override {
    free_ = at;
    if (!waiting_.empty()) book(std::max(waiting_.front().ready, at));
  }

  void advance(Cycle now, int) override {
    if (spinning_) return book(now + 1);
    if (waiting_.empty() || noc_.response_blocked()) return;
    const Cycle due = std::max(waiting_.front().ready, free_);
    if (due > now) return book(due);
    Access& access = waiting_.pop();
    answer(Txn::of(access), ++replies_ == params_.at ? params_.fault : Mistake::none, now);
    if (!waiting_.empty() && !noc_.response_blocked()) book(std::max(waiting_.front().ready, free_));
  }

  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {}

 private:
  void charge(Access& access, Cause cause, Cycle until) const {
    access.ledger.charge_until(place_for(cause), until);
  }

  void answer(Txn& txn, Mistake mistake, Cycle now) {
    Access& access = txn.access();
    if (params_.fault != Mistake::charge_nothing) charge(access, Cause::pipeline, clock().ledger_at(now));
    switch (mistake) {
      case Mistake::drop_reply:
        return;
      case Mistake::keep_reference:
        txn.acquire();
        break;
      case Mistake::charge_twice:  // the same 1000 cycles again: they have not passed
        access.ledger.charge(place_for(Cause::queue), clock().ledger_at(now) + 1000);
        break;
      case Mistake::reopen_ledger:  // all that was charged before is lost
        access.ledger.open(clock().ledger_at(now));
        break;
      case Mistake::error_status:
        txn.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        break;
      case Mistake::spin:
        spinning_ = true;
        return book(now + 1);
      case Mistake::warn:
        SC_REPORT_WARNING(name(), "a queue is unusually long");
        break;
      case Mistake::report_error:
        SC_REPORT_ERROR(name(), "the tags are corrupt");
        break;
      case Mistake::report_fatal:
        SC_REPORT_FATAL(name(), "the tags are corrupt");
        break;
      case Mistake::throw_exception:
        throw std::runtime_error("the tags are corrupt");
      default:
        break;
    }
    send(txn, now);
    if (mistake == Mistake::repeat_reply) send(txn, now);
  }

  void send(Txn& txn, Cycle now) {
    ++stats_.replies;
    txn.access().flits = 1;
    const Accept accept = noc_.respond(txn);
    if (!accept.is_held()) free_ = std::max(accept.at, now + 1);
  }

  const FaultyParams params_;
  FaultyStats stats_;
  TargetPort noc_{*this, "noc", 0, 0};
  InitiatorPort mem_{*this, "mem", 0, 0};
  AccessFifo waiting_;
  Cycle free_ = 0;
  int replies_ = 0;
  bool spinning_ = false;
};

}  // namespace

const ModuleKind& faulty_slice_kind() {
  static const ModuleKind kind = {
      "faulty_slice",
      "answers without a memory and makes one mistake",
      Role::none,
      "core",
      []() -> std::unique_ptr<ParamSet> { return std::make_unique<FaultyParams>(); },
      [](const ParamSet&) {
        return std::vector<PortSpec>{{"noc", PortRole::target, 1, false, "tlm", "requests"},
                                     {"mem", PortRole::initiator, 1, true, "tlm", "never used"}};
      },
      [](const char* name, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<FaultySlice>(name, static_cast<const FaultyParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> { return std::make_unique<FaultyStats>(); }};
  return kind;
}

}  // namespace strata::tb
