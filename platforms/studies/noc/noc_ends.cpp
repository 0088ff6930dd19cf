#include "platforms/studies/noc/noc_ends.h"

#include <algorithm>
#include <cmath>

namespace strata::platforms {
namespace {

// Injection and ejection channels, one cycle each: part of a network's latency, outside of its routers.
constexpr Cycle channels = 2;

std::vector<PortSpec> source_ports(const ParamSet&) {
  return {tlm_sockets("out", PortRole::initiator, 1, "Packets leave.")};
}
std::vector<PortSpec> sink_ports(const ParamSet&) {
  return {tlm_sockets("in", PortRole::target, 1, "Packets arrive.")};
}

}  // namespace

NocMeter::NocMeter(int sources, int destinations, int flits)
    : flits_(static_cast<std::uint64_t>(flits)),
      by_source_(static_cast<std::size_t>(sources)),
      by_destination_(static_cast<std::size_t>(destinations)) {}

void NocMeter::open(Cycle begin, Cycle end) {
  begin_ = begin;
  end_ = end;
  packets_ = total_ = entered_ = 0;
  waited_ = 0;
  std::fill(latencies_.begin(), latencies_.end(), 0);
  std::fill(by_source_.begin(), by_source_.end(), 0);
  std::fill(by_destination_.begin(), by_destination_.end(), 0);
}

void NocMeter::arrived(int source, int destination, Cycle tail, Cycle latency) {
  if (tail < begin_ || tail >= end_) return;
  ++packets_;
  total_ += latency;
  if (latency >= latencies_.size()) latencies_.resize(latency + 1);
  ++latencies_[latency];
  by_source_[static_cast<std::size_t>(source)] += flits_;
  by_destination_[static_cast<std::size_t>(destination)] += flits_;
}

void NocMeter::entered(Cycle now, Cycle waited) {
  if (now < begin_ || now >= end_) return;
  ++entered_;
  waited_ += static_cast<double>(waited);
}

double NocMeter::mean() const {
  return packets_ == 0 ? 0 : static_cast<double>(total_) / static_cast<double>(packets_);
}

double NocMeter::percentile(double share) const {
  std::uint64_t seen = 0;
  for (std::size_t latency = 0; latency < latencies_.size(); ++latency) {
    seen += latencies_[latency];
    if (seen != 0 && static_cast<double>(seen) >= share * static_cast<double>(packets_))
      return static_cast<double>(latency);
  }
  return 0;
}

NocSource::NocSource(sc_core::sc_module_name name, const NocEndParams&, const BuildContext& context)
    : Block(name, context.clock), port(*this, "out", 0), index_(context.index) {}

void NocSource::attach(const NocOptions& options, NocMeter& meter, int permuted) {
  options_ = &options;
  meter_ = &meter;
  permuted_ = permuted;
  sectors_ = static_cast<std::uint8_t>((1U << sectors_in(options)) - 1);
}

// Not by the standard's distributions: they differ between libraries.
double NocSource::random() {
  return static_cast<double>(generator_() >> 11) * 0x1p-53;
}

int NocSource::random_below(int count) {
  return static_cast<int>(random() * count);
}

Cycle NocSource::gap() {
  if (log_none_ == 0) return 1;  // a packet in every cycle
  return 1 + static_cast<Cycle>(std::min(std::log(1 - random()) / log_none_, 1e15));
}

void NocSource::start(double load, Cycle at, std::uint64_t seed) {
  generator_.seed(seed * 65536 + static_cast<std::uint64_t>(index_));
  const double chance = load / options_->packet_flits;
  log_none_ = chance < 1 ? std::log(1 - chance) : 0;
  birth_ = at + gap() - 1;
  book(std::max(birth_, free_at_));
}

int NocSource::destination() {
  switch (options_->traffic) {
    case NocOptions::Traffic::uniform:
      return random_below(options_->outputs);
    case NocOptions::Traffic::permutation:
      return permuted_;
    case NocOptions::Traffic::hotspot:
      return random() < options_->hotspot ? 0 : random_below(options_->outputs);
    case NocOptions::Traffic::all_to_one:
      return 0;
    case NocOptions::Traffic::private_llc: {
      // The slices of this source's cluster: one of every controller's.
      const int cluster = index_ * options_->clusters / options_->inputs;
      return random_below(options_->outputs / options_->clusters) * options_->clusters + cluster;
    }
  }
  return 0;
}

void NocSource::advance(Cycle now, int) {
  if (blocked_ || birth_ == never) return;
  if (birth_ > now || free_at_ > now) {
    book(std::max(birth_, free_at_));
    return;
  }
  meter_->entered(now, now - birth_);
  birth_ += gap();
  const int to = destination();
  Txn& txn = pool_.make(AccessClass::store, 0, sectors_, now);
  Access& access = txn.access();
  access.sm = static_cast<std::uint16_t>(index_);
  access.slice = static_cast<std::int16_t>(to);
  const Accept accept = port.send(txn);
  if (accept.is_held()) {
    blocked_ = true;
    return;
  }
  free_at_ = std::max(accept.at, now + 1);
  book(std::max(birth_, free_at_));
}

void NocSource::request_unblocked(int, Cycle at) {
  blocked_ = false;
  free_at_ = at;
  if (birth_ != never) book(std::max(birth_, free_at_));
}

Accept NocSource::response(Txn& txn, int, Cycle at) {
  const Cycle end = at + txn.access().flits;
  txn.release();
  return Accept::taken(end);
}

NocSink::NocSink(sc_core::sc_module_name name, const NocEndParams&, const BuildContext& context)
    : Block(name, context.clock),
      port(*this, "in", 0),
      index_(context.index),
      pipeline_(place_for(Cause::pipeline)) {}

Accept NocSink::request(Txn& txn, int, Cycle at) {
  Access& access = txn.access();
  const Cycle tail = at + access.flits - 1;
  meter_->arrived(access.sm, index_, tail, tail - access.birth + channels);
  access.ledger.charge(pipeline_, std::max(access.ledger.mark(), tail + 1));
  return Accept::done(tail + 1);
}

const ModuleKind& noc_source_kind() {
  static const ModuleKind kind = module_kind<NocEndParams, NocEndStats, NocSource>(
      "noc_source", "Packets by a Bernoulli process", Role::none, "noc", source_ports);
  return kind;
}

const ModuleKind& noc_sink_kind() {
  static const ModuleKind kind = module_kind<NocEndParams, NocEndStats, NocSink>(
      "noc_sink", "Takes packets at once and answers them", Role::none, "noc", sink_ports);
  return kind;
}

}  // namespace strata::platforms
