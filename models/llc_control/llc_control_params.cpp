#include "models/llc_control/llc_control_params.h"

namespace strata {

void LlcControlParams::for_each_param(ParamVisitor& v) {
  v.choice({"organization", "",
            "which slice of a line's channel serves a request: the one that the address names, or "
            "the one of the requester's cluster"},
           organization, {"shared", "private"});
  v.integer({"slices", "slices", "LLC slices under this control"}, slices, {1, 4096});
  v.integer({"routers", "routers", "router stages that may ask for the organization"}, routers, {1, 4096});
}

}  // namespace strata
