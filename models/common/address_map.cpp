#include "models/common/address_map.h"
namespace strata {
void AddressMapParams::for_each_param(ParamVisitor&) {}
Faults AddressMapParams::validate() const { return {}; }
}
