#include "models/dcl1_node/dcl1_node_params.h"

namespace strata {

void DcL1Queues::for_each_param(ParamVisitor& v) {
  v.integer({"request_queue", "requests", "accesses from the cores that wait for the cache (Q1)"}, request,
            {1, 4096});
  v.integer({"reply_queue", "replies", "replies that wait for the network to the cores (Q2)"}, reply,
            {1, 4096});
  v.integer({"fill_queue", "replies", "replies of the LLC that wait to be installed (Q4)"}, fill, {1, 4096});
}

}  // namespace strata
