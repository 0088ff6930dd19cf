#include "models/contention_tracker/contention_tracker_params.h"

namespace strata {

void ContentionTrackerParams::for_each_param(ParamVisitor& v) {
  v.choice({"owners", "",
            "owner of a line and of an access: the application, or the SM that it comes from, where each SM "
            "runs a "
            "kernel of its own"},
           owners, {{Owners::application, "application"}, {Owners::sm, "sm"}});
  v.integer({"kernels", "kernels", "applications or SMs, from 0 on, that have counters"}, kernels, {1, 128});
  v.integer({"counter_bits", "bits", "width of a counter, which saturates"}, counter_bits, {4, 64});
}

}  // namespace strata
