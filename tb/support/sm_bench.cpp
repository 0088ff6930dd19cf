#include "tb/support/sm_bench.h"

#include "models/sm_cluster/sm_core_inline.h"

namespace strata::tb {

WarpInstruction plain(OpClass op) {
  WarpInstruction instruction;
  instruction.op = op;
  instruction.active_mask = ~0U;
  return instruction;
}

WarpInstruction alu(int destination, int source) {
  WarpInstruction instruction = plain(OpClass::alu);
  instruction.destination = static_cast<std::uint8_t>(destination);
  instruction.sources[0] = static_cast<std::uint8_t>(source);
  return instruction;
}

WarpInstruction load(Address address, int destination, int stride) {
  WarpInstruction instruction = plain(OpClass::load);
  instruction.destination = static_cast<std::uint8_t>(destination);
  instruction.address_kind = AddressKind::stride;
  instruction.address = address;
  instruction.stride = stride;
  instruction.width = 4;
  return instruction;
}

WarpInstruction store(Address address, int stride) {
  WarpInstruction instruction = load(address, 255, stride);
  instruction.op = OpClass::store;
  return instruction;
}

std::shared_ptr<const CtaTrace> make_cta(const std::vector<Program>& warps, std::uint64_t index) {
  auto cta = std::make_shared<CtaTrace>();
  cta->index = index;
  cta->warp_begin.push_back(0);
  for (const Program& program : warps) {
    cta->instructions.insert(cta->instructions.end(), program.begin(), program.end());
    cta->warp_begin.push_back(static_cast<std::uint32_t>(cta->instructions.size()));
  }
  return cta;
}

KernelInfo& ProgramSource::add_kernel(std::uint32_t ctas, std::uint32_t warps_per_cta) {
  KernelInfo kernel;
  kernel.name = "kernel" + std::to_string(kernels_.size());
  kernel.id = static_cast<std::uint32_t>(kernels_.size());
  kernel.grid.x = ctas;
  kernel.block.x = warps_per_cta * 32;
  kernels_.push_back(kernel);
  return kernels_.back();
}

std::shared_ptr<const CtaTrace> ProgramSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  return make_cta(warps(kernel, cta), cta);
}

KernelInfo& CoreBench::launch_cta(const CtaTrace& cta, Cycle now) {
  kernels_.push_back(std::make_unique<KernelInfo>());
  KernelInfo& kernel = *kernels_.back();
  kernel.id = static_cast<std::uint32_t>(kernels_.size() - 1);
  kernel.block.x = static_cast<std::uint32_t>(cta.warps() * 32);
  core.launch(kernel, cta, now);
  return kernel;
}

Cycle CoreBench::run(Cycle limit) {
  Cycle now = now_ + 1;
  for (; now < limit;) {
    for (auto it = replies_.begin(); it != replies_.end() && it->first < now; it = replies_.erase(it))
      core.answer(it->first, static_cast<std::uint8_t>(it->second.first),
                  static_cast<std::uint8_t>(it->second.second));
    core.begin(now);
    if (core.line_waiting(now) && link_free(now)) {
      const MemoryOp op = core.op();
      lines.push_back({op.entered, now, core.line().line, __builtin_popcount(core.line().sectors), op.warp,
                       op.instruction.pc()});
      core.line_sent(now);
      if (responses)
        replies_.emplace(now + latency, std::make_pair(int{op.warp}, int{op.slot}));
      else
        core.reply_at_once(now + latency, op.warp, op.slot);
    }
    const std::uint64_t before = stats.records_issued;
    core.issue(now);
    for (std::uint64_t i = before; i < stats.records_issued; ++i) issues.push_back(now);
    std::uint32_t kernel = 0;
    while (core.take_finished(kernel)) ends.push_back(now);
    visited(now);
    now_ = now;
    Cycle next = core.next_wake(now);
    if (!core.lsu().empty()) next = now + 1;
    if (!replies_.empty()) next = std::min(next, replies_.begin()->first + 1);
    if (next == never) break;
    now = next;
  }
  core.settle(now_ + 1);
  return now_;
}

FixedTarget::FixedTarget(sc_core::sc_module_name module_name, ClockDomain& clock_domain, int ports)
    : Block(module_name, clock_domain) {
  for (int p = 0; p < ports; ++p) ports_.push_back(std::make_unique<TargetPort>(*this, "port", p));
}

Accept FixedTarget::request(Txn& txn, int port, Cycle at) {
  const Access& access = txn.access();
  if (record) log.push_back({at, port, access});
  if (hits(access)) return Accept::done(at + hit_latency);
  due_.emplace(at + miss_latency, Due{&txn, port});
  book(at + miss_latency);
  const Cycle held = hold(access);
  if (held == 0) return Accept::taken(at + 1);
  due_.emplace(at + held, Due{nullptr, port});
  book(at + held);
  return Accept::held();
}

void FixedTarget::begin_flush(LineFlushDoneIf& done, int id) {
  flushes.push_back(clock().now());
  if (flush_time == 0) return done.lines_flushed(id);
  flushing_.emplace(clock().now() + flush_time, std::make_pair(&done, id));
  book(clock().now() + flush_time);
}

void FixedTarget::advance(Cycle now, int) {
  for (; !flushing_.empty() && flushing_.begin()->first <= now; flushing_.erase(flushing_.begin())) {
    const auto [done, id] = flushing_.begin()->second;
    done->lines_flushed(id);
  }
  while (!due_.empty() && due_.begin()->first <= now) {
    const Due due = due_.begin()->second;
    due_.erase(due_.begin());
    TargetPort& at = port(due.port);
    if (due.txn == nullptr) {
      at.accept(now);
      continue;
    }
    if (at.response_blocked()) {  // one response a cycle and port
      due_.emplace(now + 1, due);
      book(now + 1);
      continue;
    }
    if (keeps_ledger) due.txn->access().ledger.charge(place_for(Cause::access), clock().ledger_at(now));
    at.respond(*due.txn);
  }
}

ClusterBench::ClusterBench(SmClusterParams sm, CtaDispatcherParams dispatch) {
  map = make_address_map(AddressMapParams{});
  dispatcher = std::make_unique<CtaDispatcher>("dispatcher", dispatch, BuildContext{clock, *map});
  for (int c = 0; c < dispatch.clusters; ++c) {
    clusters.push_back(make_sm_cluster(("sm_" + std::to_string(c)).c_str(), sm,
                                       BuildContext{clock, *map, c, dispatch.clusters}));
    dispatcher->cluster(c).bind_to(clusters.back()->dispatch);
  }
  target = std::make_unique<FixedTarget>("target", clock, dispatch.clusters * sm.sms);
  for (int c = 0; c < dispatch.clusters; ++c)
    for (int s = 0; s < sm.sms; ++s) {
      SmCluster& cluster = *clusters[static_cast<std::size_t>(c)];
      checkers.bind(cluster.l1(s), target->port(c * sm.sms + s));
      cluster.flush_of(s).bind_to(target->flush);
    }
  dispatcher->set_source(source);
}

void ClusterBench::run(Cycle limit) {
  sc_core::sc_start(clock.delay_to(limit));
  const auto check = [this](Block& block) {
    block.settle(clock.now());
    for (const std::string& law : broken_laws(block.stats())) broken.push_back(law);
    for (const Fault& fault : block.check_idle()) broken.push_back(to_text(fault));
  };
  for (auto& cluster : clusters) check(*cluster);
  check(*dispatcher);
}

}  // namespace strata::tb
