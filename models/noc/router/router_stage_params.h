#pragma once

#include <string>

#include "models/common/params.h"
#include "models/noc/routing/destination.h"
#include "models/noc/switching/crossbar.h"

namespace strata {

/// Parameters of a router stage.
struct RouterStageParams final : ParamSet {
  using Route = DestinationKind;
  enum class Queues : int { fifo, voq };

  int inputs = 8;
  int outputs = 8;
  int vcs = 1;             // adaptive LLC, Table 1: 1 VC per port
  int vc_flits = 8;        // adaptive LLC, Table 1: 8 flits per VC
  int channel_bytes = 32;  // adaptive LLC, Table 1: 32 B channels
  int header_bytes = 8;    // address, class and sender; the papers give none, BookSim counts flits only
  int pipeline = 4;        // adaptive LLC, Table 1: 4-stage routers
  bool lookahead = false;
  int speedup = 1;
  int input_speedup = 1;
  int islip_iterations = 1;
  bool hold_switch = false;
  Queues queues = Queues::fifo;
  bool flit_exact = false;
  int link_latency = 1;
  int in_credit_delay = 1;
  int out_credit_delay = 1;
  Route route = Route::slice;
  int routing = 0;  // row of RoutingPolicy::table()
  std::string table;
  int divide = 1;
  bool bypass = false;

  void for_each_param(ParamVisitor& visitor) override;
  Faults validate() const override;

  /// Pipeline stages that a head flit passes. A router of one stage routes and switches in it, look-ahead or
  /// not.
  int stages() const { return pipeline - (lookahead && pipeline > 1 ? 1 : 0); }
  /// Whether packets of up to `sectors` sectors of 32 B need the flit-exact network: asked for, several VCs,
  /// packets longer than a VC, internal speed-up or virtual output queues.
  bool needs_flits(int sectors) const;
  /// Timing of the request network (inputs to outputs) or of the reply network (outputs to inputs).
  CrossbarConfig shape(bool reply, bool bypassed) const;
  /// Packet length in flits with `sectors` sectors of 32 B of data.
  int flits(int sectors) const;
  int flits_of_bytes(int bytes) const;  ///< of data
};

}  // namespace strata
