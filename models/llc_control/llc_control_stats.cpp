#include "models/llc_control/llc_control_stats.h"

namespace strata {
namespace {

void transition_stats(const LlcControlStats& s, StatVisitor& v) {
  v.counter({"to_private", "events", "changes of the whole LLC from shared to private"}, s.to_private);
  v.counter({"to_shared", "events", "changes back, those between kernels included"}, s.to_shared);
  v.counter({"to_shared_at_boundary", "events", "changes back between kernels, without a stall"},
            s.to_shared_at_boundary);
  v.counter({"transition_cycles", "cycles", "time from the order to change until the SMs go on"},
            s.transition_cycles);
  v.counter({"drain_cycles", "cycles", "of these: SMs stalled, their accesses on the way"}, s.drain_cycles);
  v.counter({"clean_cycles", "cycles", "of these: slices write back or flush"}, s.clean_cycles);
  v.counter({"gate_cycles", "cycles", "of these: routers are gated or powered on"}, s.gate_cycles);
  v.counter({"cycles", "cycles", "cycles over which all this was counted"}, s.cycles);
  v.counter({"private_cycles", "cycles", "cycles in which the LLC was private"}, s.private_cycles);
  v.counter({"degree_cycles", "copies x cycles", "copies that a line could have, summed over the cycles"},
            s.degree_cycles);
  v.ratio({"mean_degree", "copies", "copies that a line could have"}, s.degree_cycles, s.cycles);
  v.ratio({"private_share", "", "share of cycles in which the LLC was private"}, s.private_cycles, s.cycles);
  v.ratio({"transition_share", "", "share of cycles spent on changes"}, s.transition_cycles, s.cycles);
  v.law("transition_cycles = drain_cycles + clean_cycles + gate_cycles");
  v.law("to_shared >= to_shared_at_boundary");
  v.law("cycles >= private_cycles");
  v.law("degree_cycles >= cycles");
}

void sharing_stats(const LlcControlStats& s, StatVisitor& v) {
  v.counter({"lines", "lines", "lines touched, counted once in each window (sharing_window)"}, s.lines);
  v.counter({"lines_2_clusters", "lines", "of these: by 2 clusters"}, s.lines_2_clusters);
  v.counter({"lines_3_4_clusters", "lines", "of these: by 3 or 4 clusters"}, s.lines_3_4_clusters);
  v.counter({"lines_5_8_clusters", "lines", "of these: by 5 to 8 clusters"}, s.lines_5_8_clusters);
  v.counter({"lines_9_clusters", "lines", "of these: by 9 clusters or more"}, s.lines_9_clusters);
  v.counter({"read_only_lines", "lines", "lines touched by read-only loads, counted once in each window"},
            s.read_only_lines);
  v.counter({"read_only_lines_2_sms", "lines", "of these: by 2 SMs or more"}, s.read_only_lines_2_sms);
  v.counter({"read_only_lines_10_sms", "lines", "of these: by more than 9 SMs"}, s.read_only_lines_10_sms);
  v.law("lines >= lines_2_clusters + lines_3_4_clusters + lines_5_8_clusters + lines_9_clusters");
  v.law("read_only_lines >= read_only_lines_2_sms");
  v.law("read_only_lines_2_sms >= read_only_lines_10_sms");
}

}  // namespace

void LlcPolicyStats::for_each_stat(StatVisitor& v) const {
  v.counter({"epochs", "epochs", "epochs that have ended"}, epochs);
  v.counter({"profiles", "profiles", "profiles of the shared LLC that were begun"}, profiles);
  v.counter({"rule1_choices", "decisions", "rule paper: private, since miss rates are alike"}, rule1_choices);
  v.counter({"rule2_choices", "decisions", "adaptive: private for its bandwidth; windowed: trials of it"},
            rule2_choices);
  v.counter({"shared_choices", "decisions", "adaptive: shared, also for want of data"}, shared_choices);
  v.counter({"failed_trials", "decisions", "windowed: trials of the private LLC that were rejected"},
            failed_trials);
  v.counter({"pinned_kernels", "kernels", "adaptive: kernels with global atomics, which stay shared"},
            pinned_kernels);
  v.counter({"degree_changes", "events", "selrep: epochs that changed the number of copies"}, degree_changes);
  v.law("profiles >= rule1_choices + rule2_choices + shared_choices");
}

void LlcApplicationStats::for_each_stat(StatVisitor& v) const {
  v.counter({"private_cycles", "cycles", "cycles in which the LLC was private for the application"},
            private_cycles);
}

void LlcControlStats::for_each_stat(StatVisitor& v) const {
  v.counter({"decisions", "requests", "requests for which a slice was chosen"}, decisions);
  v.counter({"kernel_boundaries", "events", "kernel boundaries seen"}, kernel_boundaries);
  v.counter({"flushes", "events", "flushes of the whole LLC, or of all its replicas"}, flushes);
  v.counter({"slice_flushes", "events", "slices that answered a flush or write-back"}, slice_flushes);
  v.counter(
      {"flush_cycles", "cycles", "time spent flushing between kernels, in cycles of the ledger's clock"},
      flush_cycles);
  v.law("kernel_boundaries + to_shared >= flushes");
  v.law("slice_flushes >= flushes");
  policy.for_each_stat(v);
  v.counter({"predictor_bits", "bits", "storage of the predictors, as the parameters make it"},
            predictor_bits);
  transition_stats(*this, v);
  v.counter({"register_reads", "accesses", "reads of the register window"}, register_reads);
  v.counter({"register_writes", "accesses", "writes to the register window"}, register_writes);
  v.counter({"register_errors", "accesses", "accesses to the register window with an error response"},
            register_errors);
  sharing_stats(*this, v);
}

}  // namespace strata
