#include "models/llc_predictors/bandwidth_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace strata {

double isca_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params) {
  return prediction.hit_rate * prediction.lsp * params.slice + (1 - prediction.hit_rate) * params.memory;
}

double selrep_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params) {
  const double hits = prediction.hit_rate * params.slice;
  const double misses = (1 - prediction.hit_rate) * params.slice;
  return prediction.lsp * (hits + std::min(misses, params.memory));
}

double bottleneck_bandwidth(const LlcPrediction& prediction, const BandwidthParams& params, double ceiling) {
  const double slices = std::min(prediction.lsp * params.slice, ceiling);
  const double miss_rate = 1 - prediction.hit_rate;
  return slices * miss_rate > params.memory ? params.memory / miss_rate : slices;
}

namespace {

constexpr double saturated = std::numeric_limits<double>::infinity();

/// Share of the inputs of a router that its allocator matches in a cycle when all VCs hold packets for random
/// outputs. An iteration: an output that unmatched inputs ask for grants one of them; an input takes one of
/// its grants. With one VC an input asks for one output only and takes what it gets: waiting for the grant
/// is the head-of-line blocking of `occupation`.
double matched(const ReplyStage& stage) {
  if (stage.vcs == 1) return 1;
  const double asks = 1 - std::pow(1 - 1.0 / stage.outputs, stage.vcs);  // an input for a given output
  double inputs = stage.inputs;                                          // unmatched
  double outputs = stage.outputs;
  for (int i = 0; i < stage.iterations && inputs > 1e-6 && outputs > 1e-6; ++i) {
    const double grants = outputs * (1 - std::pow(1 - asks, inputs));
    const double pairs =
        inputs <= 1 ? std::min(inputs, grants) : inputs * (1 - std::pow(1 - 1 / inputs, grants));
    inputs -= pairs;
    outputs -= pairs;
  }
  return (stage.inputs - inputs) / stage.inputs;
}

/// Cycles that a packet occupies an input VC of the stage when the whole GPU gets `rate` replies a cycle and
/// an output is busy for `service` cycles a packet; infinite beyond saturation.
double occupation(const ReplyStage& stage, double rate, double service) {
  const double at_input = rate / (stage.routers * stage.inputs);
  const double at_output = rate / (stage.routers * stage.outputs);
  const double busy = at_output * service;
  if (busy > 1 || at_input * stage.flits > matched(stage)) return saturated;
  const double loop = static_cast<double>(stage.flits) * stage.credit_loop / stage.vc_flits;
  // A packet at the head of a VC finds what the other heads have left in front of its output: the wait of
  // M/D/1, reduced because its own VC sends nothing else meanwhile (arrival theorem of closed networks).
  const double heads = stage.inputs * stage.vcs;
  const double seen = (heads - 1) / heads * busy;
  if (seen >= 1) return saturated;
  const double response = service * (1 - seen / 2) / (1 - seen);
  // The bubble of the output passes while the input has its own.
  const double cycles = std::max(response - stage.out_bubble + stage.in_bubble, loop);
  return at_input * cycles > stage.vcs ? saturated : cycles;
}

bool carries(const std::vector<ReplyStage>& stages, double rate) {
  double blocked = 0;      // cycles that the next stage's input VC keeps a packet
  double utilization = 0;  // of that VC
  double places = 1;       // packets that it holds
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage) {
    const double alone = stage->flits + stage->out_bubble;
    const double full = std::pow(utilization, places);
    const double service = alone + full * std::max(0.0, blocked - alone);
    const double cycles = occupation(*stage, rate, service);
    if (cycles == saturated) return false;
    blocked = cycles / stage->vcs;
    utilization = std::min(1.0, rate / (stage->routers * stage->inputs) * blocked);
    places = std::max(1.0, static_cast<double>(stage->vcs * stage->vc_flits) / stage->flits);
  }
  return true;
}

}  // namespace

double response_ceiling(const std::vector<ReplyStage>& slices_to_sms) {
  if (slices_to_sms.empty()) return saturated;
  double low = 0;
  double high = saturated;
  for (const ReplyStage& stage : slices_to_sms)
    high = std::min(high,
                    static_cast<double>(stage.routers) * std::min(stage.inputs, stage.outputs) / stage.flits);
  for (int step = 0; step < 50; ++step) {  // a bisection far below the accuracy of the model
    const double middle = (low + high) / 2;
    (carries(slices_to_sms, middle) ? low : high) = middle;
  }
  return low;
}

ReplyStage with_copies(ReplyStage stage, int degree) {
  stage.routers *= degree;
  stage.inputs /= degree;
  stage.outputs /= degree;
  return stage;
}

}  // namespace strata
