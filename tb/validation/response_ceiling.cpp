// The response ceilings that the predictors derive from router parameters, against networks of router stages
// driven beyond saturation. Prints a Markdown table and fails when a difference exceeds the bar. Each network
// runs in a process of its own: SystemC elaborates once.
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <systemc>

#include "models/llc_predictors/bandwidth_model.h"
#include "platforms/studies/noc/noc_experiment.h"

namespace {

using namespace strata;
using namespace strata::platforms;

constexpr double bar = 0.1;  // of the measured throughput

struct Case {
  const char* topology;  // empty: a crossbar of inputs x outputs
  int inputs;
  int outputs;
  int flits;
  int vcs;
  int vc_flits;
  int pipeline;
};

constexpr Case cases[] = {
    {"", 1, 1, 5, 1, 8, 4},
    {"", 2, 2, 5, 1, 8, 4},
    {"", 8, 8, 1, 1, 8, 4},
    {"", 8, 8, 5, 1, 8, 4},
    {"", 8, 10, 5, 1, 8, 4},
    {"", 64, 64, 5, 1, 8, 4},
    {"", 8, 8, 3, 1, 8, 4},
    {"", 8, 8, 9, 1, 16, 4},
    {"", 8, 8, 5, 4, 8, 4},
    {"", 8, 10, 5, 4, 8, 4},
    {"hxbar:8x8x8", 64, 64, 1, 1, 8, 4},
    {"hxbar:8x8x8", 64, 64, 3, 1, 8, 4},
    {"hxbar:8x8x8", 64, 64, 5, 1, 8, 4},
    {"hxbar:8x8x8", 64, 64, 5, 1, 16, 4},
    {"hxbar:8x8x8", 64, 64, 5, 1, 32, 4},
    {"hxbar:8x8x8", 64, 64, 5, 1, 8, 3},
    {"hxbar:8x8x8", 64, 64, 5, 1, 8, 6},
    {"hxbar:8x8x8", 64, 64, 9, 1, 16, 4},
    {"hxbar:8x10x8", 80, 64, 5, 1, 8, 4},
    {"hxbar:8x8x8", 64, 64, 5, 4, 8, 4},
};

NocOptions options_of(const Case& each) {
  NocOptions options;
  options.inputs = each.inputs;
  options.outputs = each.outputs;
  if (*each.topology != '\0') read_topology(each.topology, options);
  options.packet_flits = each.flits;
  options.router.vcs = each.vcs;
  options.router.vc_flits = each.vc_flits;
  options.router.pipeline = each.pipeline;
  options.warmup = 3000;
  options.cycles = each.inputs <= 10 ? 20000 : 8000;
  check(options);
  return options;
}

/// Flits per cycle of a source that offers more than the network takes.
double measure(const NocOptions& options) {
  int channel[2];
  if (pipe(channel) != 0) throw std::runtime_error("no pipe");
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    NocExperiment experiment(options);
    const double accepted = experiment.run(1.0, 1).accepted;
    _exit(write(channel[1], &accepted, sizeof accepted) == static_cast<ssize_t>(sizeof accepted) ? 0 : 1);
  }
  close(channel[1]);
  double accepted = 0;
  const bool complete = read(channel[0], &accepted, sizeof accepted) == static_cast<ssize_t>(sizeof accepted);
  close(channel[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0 || !complete) throw std::runtime_error("a measurement failed");
  return accepted;
}

ReplyStage stage_of(const NocOptions& options, int routers, int inputs, int outputs) {
  const CrossbarConfig shape = router_of(options, inputs, outputs, 1).shape(false, false);
  ReplyStage stage;
  stage.routers = routers;
  stage.inputs = inputs;
  stage.outputs = outputs;
  stage.flits = options.packet_flits;
  stage.vcs = shape.vcs;
  stage.vc_flits = shape.vc_flits;
  stage.in_bubble = shape.in_bubble;
  stage.out_bubble = shape.out_bubble;
  stage.credit_loop = 2 * shape.link + 3;
  stage.iterations = shape.iterations;
  return stage;
}

/// The same from the model.
double predict(const NocOptions& options) {
  std::vector<ReplyStage> chain;
  if (options.topology == NocOptions::Topology::hxbar) {
    const int controllers = options.outputs / options.clusters;
    chain = {stage_of(options, options.clusters, options.inputs / options.clusters, controllers),
             stage_of(options, controllers, options.clusters, options.clusters)};
  } else {
    chain = {stage_of(options, 1, options.inputs, options.outputs)};
  }
  return response_ceiling(chain) * options.packet_flits / options.inputs;
}

}  // namespace

int sc_main(int, char*[]) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  std::printf("| network | flits | VCs x flits | pipeline | derived | measured | difference |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  int misses = 0;
  for (const Case& each : cases) {
    const NocOptions options = options_of(each);
    const double derived = predict(options);
    const double measured = measure(options);
    const double error = derived / measured - 1;
    const bool missed = !(std::abs(error) <= bar);
    misses += missed ? 1 : 0;
    const std::string name = *each.topology != '\0'
                                 ? each.topology
                                 : std::to_string(each.inputs) + "x" + std::to_string(each.outputs);
    std::printf("| %s | %d | %d x %d | %d | %.3f | %.3f | %+.1f %%%s |\n", name.c_str(), each.flits, each.vcs,
                each.vc_flits, each.pipeline, derived, measured, 100 * error, missed ? " MISSED" : "");
  }
  return misses == 0 ? 0 : 1;
}
