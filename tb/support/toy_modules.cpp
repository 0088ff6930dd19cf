#include "tb/support/toy_modules.h"

#include <memory>

#include "models/tlm/ports.h"

namespace strata::tb {
namespace {

enum class Order : int { round_robin, oldest };

struct SourceParams final : ParamSet {
  int outputs = 2;
  Bytes size{48 * KiB};
  int ways = 4;
  double rate = 0.5;
  bool random = false;
  Order order = Order::round_robin;
  std::string label;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"outputs", "sockets", "how many sockets it sends through"}, outputs, {1, 64});
    v.bytes({"size", "bytes", "how much it sends in all"}, size, {128, 1 << 20});
    v.integer({"ways", "ways", "ways of its table"}, ways, {1, 16, true});
    v.real({"rate", "requests per cycle", "mean rate of requests"}, rate, 0.0, 1.0);
    v.flag({"random", "", "whether addresses are random"}, random);
    v.choice({"order", "", "which request goes first"}, order,
             {{Order::round_robin, "round_robin"}, {Order::oldest, "oldest"}});
    v.text({"label", "", "what reports call it"}, label);
  }
  Faults validate() const override {
    Faults faults;
    if (size.count % static_cast<std::uint64_t>(ways) != 0)
      faults.push_back(param_fault("size", "must be a multiple of ways"));
    return faults;
  }
};

struct RouterParams final : ParamSet {
  int inputs = 2;
  int outputs = 2;
  int latency = 4;
  void for_each_param(ParamVisitor& v) override {
    v.integer({"inputs", "sockets", "sockets towards the sources"}, inputs, {1, 128});
    v.integer({"outputs", "sockets", "sockets towards the sinks"}, outputs, {1, 128});
    v.integer({"latency", "cycles", "pipeline depth"}, latency, {1, 1000});
  }
};

struct SinkParams final : ParamSet {
  void for_each_param(ParamVisitor&) override {}
};

struct ToyStats final : StatSet {
  std::uint64_t requests = 0;
  void for_each_stat(StatVisitor& v) const override {
    v.counter({"requests", "requests", "requests that came"}, requests);
    v.law("requests >= 0");
  }
};

struct ToyIf : virtual sc_core::sc_interface {
  virtual int answer() const = 0;
};

class Toy : public Block, public ToyIf {
 public:
  Toy(sc_core::sc_module_name name, ClockDomain& clock, const std::vector<PortSpec>& ports)
      : Block(name, clock) {
    for (const PortSpec& spec : ports) {
      for (int i = 0; i < spec.count; ++i) {
        if (spec.role == PortRole::initiator)
          made_.push_back(std::make_unique<InitiatorPort>(*this, spec.name, i));
        if (spec.role == PortRole::target) made_.push_back(std::make_unique<TargetPort>(*this, spec.name, i));
        if (spec.role == PortRole::control_out)
          made_.push_back(std::make_unique<ControlOut<ToyIf>>(*this, spec.name, i));
        if (spec.role == PortRole::control_in)
          made_.push_back(std::make_unique<ControlIn<ToyIf>>(*this, spec.name, i, *this));
      }
    }
  }
  void advance(Cycle, int) override {}
  const StatSet& stats() const override { return stats_; }
  void reset_stats() override { stats_ = {}; }

 private:
  int answer() const override { return 42; }
  std::vector<std::unique_ptr<PortBase>> made_;
  ToyStats stats_;
};

template <class Params>
std::unique_ptr<ParamSet> new_params() {
  return std::make_unique<Params>();
}
std::unique_ptr<StatSet> new_stats() {
  return std::make_unique<ToyStats>();
}

template <std::vector<PortSpec> (*ports)(const ParamSet&)>
std::unique_ptr<Block> make(const char* name, const ParamSet& params, const BuildContext& context) {
  return std::make_unique<Toy>(name, context.clock, ports(params));
}

std::vector<PortSpec> source_ports(const ParamSet& params) {
  return {{"out", PortRole::initiator, static_cast<const SourceParams&>(params).outputs, false, "tlm",
           "requests"}};
}
std::vector<PortSpec> router_ports(const ParamSet& params) {
  const auto& p = static_cast<const RouterParams&>(params);
  return {{"in", PortRole::target, p.inputs, false, "tlm", "from the sources"},
          {"out", PortRole::initiator, p.outputs, false, "tlm", "to the sinks"},
          {"control", PortRole::control_out, 1, true, "toy", "asks the controller"}};
}
std::vector<PortSpec> sink_ports(const ParamSet&) {
  return {{"in", PortRole::target, 1, false, "tlm", "requests"},
          {"spill", PortRole::initiator, 1, true, "tlm", "what does not fit"}};
}
std::vector<PortSpec> control_ports(const ParamSet&) {
  return {{"ask", PortRole::control_in, 1, false, "toy", "questions of the routers"},
          {"other", PortRole::control_in, 1, true, "gossip", "questions of another kind"}};
}

const ModuleKind source = {"toy_source", "sends requests",   Role::none, "core", new_params<SourceParams>,
                           source_ports, make<source_ports>, new_stats};
const ModuleKind router = {"toy_router", "passes requests on", Role::none, "noc", new_params<RouterParams>,
                           router_ports, make<router_ports>,   new_stats};
const ModuleKind sink = {"toy_sink", "takes requests", Role::none, "core", new_params<SinkParams>,
                         sink_ports, make<sink_ports>, new_stats};
const ModuleKind control = {"toy_control",          "decides",     Role::none,          "core",
                            new_params<SinkParams>, control_ports, make<control_ports>, new_stats};

}  // namespace

const platforms::ModuleTable& toy_modules() {
  static const platforms::ModuleTable table = {&source, &router, &sink, &control};
  return table;
}

}  // namespace strata::tb
