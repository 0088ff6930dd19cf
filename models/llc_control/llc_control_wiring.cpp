// What the control must be bound to, and what it learns of the machine from there.
#include "models/llc_control/llc_control.h"

namespace strata {

Faults LlcControl::wiring_faults() {
  Faults faults;
  const auto blame = [&](const std::string& message) { faults.push_back({{}, message}); };
  if (sms_ != nullptr && (params_.changes_mode() || params_.replicates() || params_.sharing_window != 0) &&
      sms_->cluster_count() != params_.clusters)
    blame("clusters is " + std::to_string(params_.clusters) + " but the dispatcher has " +
          std::to_string(sms_->cluster_count()));
  const std::size_t listed = params_.listed().size();
  if (tenants_.size() > 1 && listed != 0 && listed != static_cast<std::size_t>(tenants_.size()))
    blame("organizations is " + params_.organizations + ", which is for " + std::to_string(listed) +
          " applications, but " + std::to_string(tenants_.size()) + " run");
  if (!params_.changes_mode() && !params_.replicates() && listed == 0) return faults;
  const std::string which = params_.changes_mode() ? "adaptive"
                            : params_.replicates() ? "replicating"
                                                   : "listed";
  if (sms_ == nullptr) blame("a " + which + " organization needs `boundary` bound to the dispatcher");
  for (const ControlOut<SliceControlIf>& slice : slice_ports_)
    if (!slice.bound()) {
      blame("a " + which + " organization needs every slice bound, but slice[" +
            std::to_string(slice.index()) + "] is not");
      break;
    }
  if (params_.changes_mode() && sms_ != nullptr && !sms_->can_stall())
    blame("an adaptive organization stalls the SMs, which these SMs cannot");
  for (ControlOut<RouterControlIf>& gate : gate_ports_) {
    if (!gate.bound()) {
      blame("gate[" + std::to_string(gate.index()) + "] is not bound");
    } else if (const std::string why = gate->bypass_fault(); params_.changes_mode() && !why.empty()) {
      blame("the router at gate[" + std::to_string(gate.index()) + "] " + why);
      break;
    }
  }
  return faults;
}

LlcMachine LlcControl::machine() {
  LlcMachine machine;
  machine.slice = slice_ports_.front()->tags();
  ReplyStage gated;
  if (!gate_ports_.empty()) {
    gated = gate_ports_.front()->reply_stage();
    gated.routers = static_cast<int>(gate_ports_.size());
    machine.shared_replies.push_back(gated);
  }
  if (!stages_.empty()) {
    ReplyStage asking = stages_.front();
    asking.routers = static_cast<int>(stages_.size());
    machine.shared_replies.push_back(asking);
    machine.private_replies.push_back(asking);
  }
  return machine;
}

void LlcControl::introduce(const ReplyStage& stage) {
  stages_.push_back(stage);
}

}  // namespace strata
