// `l1_private` once more, compiled with another name for its class.
#include "models/l1/l1_kind.h"
#include "models/l1/l1_private.h"
#include "platforms/engine/plugins/plugin.h"

STRATA_PLUGIN(rows) {
  rows.add(strata::l1_kind<strata::L1Private>("copy_l1", "l1_private once more"));
}
