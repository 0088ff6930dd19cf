// The list can fail: each module with a fault is found out, and the finding says what the fault is.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

#include "models/tlm/module_kind.h"
#include "models/tlm/ports.h"
#include "tb/contract/contract.h"
#include "tb/support/catch.h"

namespace strata::contract {

/// A module with one fault, and what the list must say of it.
struct Mutant {
  const ModuleKind* kind;
  std::string check;  ///< empty: the module is sound, and nothing may be said
  std::string says;   ///< part of the finding
};

namespace {

enum class Mistake : int {
  none,
  drops_reply,
  repeats_reply,
  wrong_ledger,
  counts_wrongly,
  misses_hop_counter,
  stays_busy,
  calls_itself_idle,
  never_released,
  takes_bad_parameter,
  unclear_refusal,
  dies_of_parameter,
  other_digest,
  lacks_figures,
  no_sentence,
  secret_socket,
};

struct MutantParams final : ParamSet {
  Mistake fault = Mistake::none;
  int latency = 20;
  int lanes = 4;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"latency", "cycles", "from a request to its answer"}, latency, {1, 1000});
    const int least = fault == Mistake::takes_bad_parameter ? 0 : 1;  // none of them never answers
    v.integer({"lanes", "lanes", "answers that may be in flight"}, lanes, {least, 64});
  }
  Faults validate() const override {
    if (fault == Mistake::dies_of_parameter && lanes == 64) throw std::out_of_range("lanes");
    if (fault == Mistake::unclear_refusal && lanes == 64) return {param_fault("", "it is not possible")};
    return {};
  }
};

struct MutantStats final : StatSet {
  Mistake fault = Mistake::none;
  std::uint64_t accesses = 0, hits = 0, replies = 0;
  void for_each_stat(StatVisitor& v) const override {
    static const std::uint64_t none = 0;
    v.counter({"accesses", "requests", fault == Mistake::no_sentence ? "" : "requests that came"}, accesses);
    if (fault != Mistake::lacks_figures) v.counter({"hits", "requests", "all of them"}, hits);
    v.counter({"merges", "requests", "none"}, none);
    v.counter({"misses", "requests", "none"}, none);
    v.counter({"replies", "replies", "answers that were sent"}, replies);
    v.ratio({"hit_rate", "", "share of hits"}, hits, accesses);
    v.law("accesses = replies");
  }
};

template <Mistake fault>
class MutantSlice final : public Block {
 public:
  MutantSlice(sc_core::sc_module_name name, const MutantParams& params, const BuildContext& context)
      : Block(name, context.clock, 1, context.place_as(Role::llc)), params_(params) {
    stats_.fault = fault;
  }

  Accept request(Txn& txn, int, Cycle at) override {
    Access& access = txn.access();
    access.ledger.charge_until(place_for(Cause::queue), clock().ledger_at(at));
    ++stats_.accesses;
    ++stats_.hits;
    access.ready = at + std::max<Cycle>(latency(), access.flits);
    if (waiting_.empty() && !noc_.response_blocked()) book(std::max(access.ready, free_));
    waiting_.push(access);
    return Accept::taken(at + access.flits);
  }
  void response_unblocked(int, Cycle at) override {
    free_ = at;
    if (!waiting_.empty()) book(std::max(waiting_.front().ready, at));
  }
  void advance(Cycle now, int) override {
    if (fault == Mistake::stays_busy && stats_.replies > 2) book(now + 1);
    if (waiting_.empty() || noc_.response_blocked() || params_.lanes == 0) return;
    const Cycle due = std::max(waiting_.front().ready, free_);
    if (due > now) return book(due);
    Txn& txn = Txn::of(waiting_.pop());
    txn.access().ledger.charge_until(place_for(Cause::pipeline), clock().ledger_at(now));
    answer(txn, now);
    if (!waiting_.empty() && !noc_.response_blocked()) book(std::max(waiting_.front().ready, free_));
  }

  const StatSet& stats() const override { return stats_; }
  void reset_stats() override {
    stats_.accesses = stats_.hits = static_cast<unsigned>(waiting_.size());
    stats_.replies = 0;
  }
  Faults check_idle() const override {
    if (waiting_.empty() || fault == Mistake::calls_itself_idle) return {};
    return {{{}, std::to_string(waiting_.size()) + " requests wait"}};
  }
  std::vector<WaitNote> waits() const override {
    if (waiting_.empty()) return {};
    return {{"answers", "", waiting_.size(), 0, &waiting_.front()}};
  }

 private:
  /// Another one in each process.
  Cycle latency() const {
    return static_cast<Cycle>(params_.latency) +
           (fault == Mistake::other_digest ? static_cast<Cycle>(::getpid() % 97) : 0);
  }
  void answer(Txn& txn, Cycle now) {
    const bool third = ++replies_ == 3;
    if (fault == Mistake::drops_reply && third) return;
    if (fault == Mistake::counts_wrongly && third) ++stats_.accesses;
    if (fault == Mistake::never_released && third) txn.acquire();
    if (fault == Mistake::wrong_ledger && third)
      txn.access().ledger.charge(place_for(Cause::queue), clock().ledger_at(now) + 99);
    send(txn, now);
    if (fault == Mistake::repeats_reply && third) send(txn, now);
  }
  void send(Txn& txn, Cycle now) {
    ++stats_.replies;
    txn.access().flits = 1;
    const Accept accept = noc_.respond(txn);
    if (!accept.is_held()) free_ = std::max(accept.at, now + 1);
  }

  const MutantParams params_;
  MutantStats stats_;
  TargetPort noc_{*this, "noc", 0, 0};
  std::unique_ptr<InitiatorPort> secret_ =
      fault == Mistake::secret_socket ? std::make_unique<InitiatorPort>(*this, "secret", 0) : nullptr;
  AccessFifo waiting_;
  Cycle free_ = 0;
  int replies_ = 0;
};

template <Mistake fault>
const ModuleKind& mutant(std::string_view name) {
  static const ModuleKind kind = {
      name,
      "an LLC slice of a test that always hits",
      Role::llc,
      "core",
      []() -> std::unique_ptr<ParamSet> {
        auto params = std::make_unique<MutantParams>();
        params->fault = fault;
        return params;
      },
      [](const ParamSet&) -> std::vector<PortSpec> {
        const std::string_view requests = fault == Mistake::misses_hop_counter ? "requests" : "accesses";
        return {{"noc", PortRole::target, 1, false, "tlm", "requests", {{requests}, {"replies"}}}};
      },
      [](const char* block, const ParamSet& params, const BuildContext& context) -> std::unique_ptr<Block> {
        return std::make_unique<MutantSlice<fault>>(block, static_cast<const MutantParams&>(params), context);
      },
      []() -> std::unique_ptr<StatSet> {
        auto stats = std::make_unique<MutantStats>();
        stats->fault = fault;
        return stats;
      }};
  return kind;
}

}  // namespace

const std::vector<Mutant>& mutants() {
  static const std::vector<Mutant> all = {
      {&mutant<Mistake::none>("sound"), "", ""},
      {&mutant<Mistake::drops_reply>("drops_reply"), "idle", "does not come to its end: deadlock"},
      {&mutant<Mistake::repeats_reply>("repeats_reply"), "protocol", "violations"},
      {&mutant<Mistake::wrong_ledger>("wrong_ledger"), "ledger", "answers whose ledger is not their latency"},
      {&mutant<Mistake::counts_wrongly>("counts_wrongly"), "laws", "law 'accesses = replies' does not hold"},
      {&mutant<Mistake::misses_hop_counter>("misses_hop_counter"), "declarations",
       "counts its hop by 'requests', which the module does not have"},
      {&mutant<Mistake::stays_busy>("stays_busy"), "idle", "does not come to its end: livelock"},
      {&mutant<Mistake::calls_itself_idle>("calls_itself_idle"), "idle", "calls itself idle while"},
      {&mutant<Mistake::never_released>("never_released"), "idle", "were never"},
      {&mutant<Mistake::takes_bad_parameter>("takes_bad_parameter"), "idle", "lanes = 0"},
      {&mutant<Mistake::unclear_refusal>("unclear_refusal"), "parameters", "without one fault that names it"},
      {&mutant<Mistake::dies_of_parameter>("dies_of_parameter"), "parameters", "lanes = 64: the program"},
      {&mutant<Mistake::other_digest>("other_digest"), "digest", "another digest when it is repeated"},
      {&mutant<Mistake::lacks_figures>("lacks_figures"), "declarations", "has no 'hits'"},
      {&mutant<Mistake::no_sentence>("no_sentence"), "declarations", "counter 'accesses' has no sentence"},
      {&mutant<Mistake::secret_socket>("secret_socket"), "declarations",
       "is a socket that the module does not describe"},
  };
  return all;
}

}  // namespace strata::contract

using namespace strata;
using namespace strata::contract;

namespace {

Verdict verdict_of(const ModuleKind& kind) {
  ModuleTable modules = platforms::built_in_modules();
  modules.push_back(&kind);
  return check_contract(kind, modules, {1, 3, {}});
}

bool says(const Verdict& verdict, const std::string& check, const std::string& text) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const Finding& finding) {
    return finding.check == check && finding.text.find(text) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("each mutant is found out by the check that is meant for its fault, and a sound module by none") {
  for (const Mutant& mutant : mutants()) {
    const Verdict verdict = verdict_of(*mutant.kind);
    std::string all;
    for (const Finding& finding : verdict.findings) all += finding.check + ": " + finding.text + "\n";
    INFO(mutant.kind->name << ": " << verdict.findings.size() << " findings in " << verdict.runs << " runs\n"
                           << all);
    CHECK(verdict.runs > 15);
    if (mutant.check.empty())
      CHECK(verdict.findings.empty());
    else
      CHECK(says(verdict, mutant.check, mutant.says));
  }
}

TEST_CASE("a module that the harness cannot surround is a failure that says what to add") {
  ModuleKind kind = *platforms::find_module(platforms::built_in_modules(), "l1_private");
  kind.name = "external module";
  kind.role = Role::none;
  CHECK(says(verdict_of(kind), "test_bench", "'external module' has no role"));
  kind.role = Role::llc;
  kind.ports = [](const ParamSet&) -> std::vector<PortSpec> {
    return {{"mem", PortRole::initiator, 1, false, "tlm", "to memory", {{"misses"}, {"fills"}}}};
  };
  CHECK(says(verdict_of(kind), "test_bench", "the role 'llc' but no target socket"));
  kind.ports = [](const ParamSet&) -> std::vector<PortSpec> {
    return {{"noc", PortRole::target, 1, false, "tlm", "requests", {{"accesses"}, {"replies"}}},
            {"power", PortRole::control_in, 1, false, "PowerIf", "on and off"}};
  };
  CHECK(says(verdict_of(kind), "test_bench", "protocol 'PowerIf', has to be bound, and no stub peer"));
}
