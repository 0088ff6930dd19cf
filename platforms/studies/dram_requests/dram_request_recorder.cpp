#include "platforms/studies/dram_requests/dram_request_recorder.h"

#include <algorithm>

#include "models/common/faults.h"

namespace strata::platforms {

/// Watches one binding of a memory controller.
class DramRequestRecorder::Binding final : public CallWatchIf {
 public:
  Binding(DramRequestRecorder& recorder, const MemoryController& controller, CallWatchIf* other)
      : recorder_(recorder), controller_(controller), other_(other) {}

  const MemoryController& controller() const { return controller_; }
  void set_number(int number) { number_ = number; }

  void call_begins(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay,
                   bool forward) override {
    if (other_ != nullptr) other_->call_begins(payload, phase, delay, forward);
    if (!forward || phase != tlm::BEGIN_REQ) return;
    if (const Txn* const txn = Txn::from(payload))
      recorder_.request(controller_, number_, txn->access(), controller_.clock().arrival(delay));
  }
  void call_ends(Payload& payload, const tlm::tlm_phase& sent, tlm::tlm_sync_enum result,
                 const tlm::tlm_phase& phase, const sc_core::sc_time& delay, bool forward) override {
    if (other_ != nullptr) other_->call_ends(payload, sent, result, phase, delay, forward);
  }

 private:
  DramRequestRecorder& recorder_;
  const MemoryController& controller_;
  CallWatchIf* const other_;
  int number_ = 0;
};

DramRequestRecorder::DramRequestRecorder(const std::string& path, DramRequestFormat format)
    : file_(path, format) {}

DramRequestRecorder::~DramRequestRecorder() = default;

CallWatchIf* DramRequestRecorder::watch(const PortBase& to, CallWatchIf* other) {
  const auto* controller = dynamic_cast<const MemoryController*>(&to.owner());
  if (controller == nullptr) return other;
  bindings_.push_back(std::make_unique<Binding>(*this, *controller, other));
  return bindings_.back().get();
}

void DramRequestRecorder::attach(const Platform& platform) {
  for (const PlatformInstance& instance : platform.instances())
    if (const auto* controller = dynamic_cast<const MemoryController*>(instance.block))
      controllers_.push_back(controller);
  if (controllers_.empty())
    throw ConfigError("--dram-requests: the platform has no memory_controller to get requests");
  for (const auto& binding : bindings_)
    binding->set_number(static_cast<int>(
        std::find(controllers_.begin(), controllers_.end(), &binding->controller()) - controllers_.begin()));
}

void DramRequestRecorder::request(const MemoryController& controller, int number, const Access& access,
                                  Cycle arrive) {
  const Cycle now = controller.clock().now();
  if (now > 0) write_until(now - 1);
  DramRequestRow row;
  row.arrive = arrive;
  row.controller = number;
  row.write = is_write(access.access_class);
  add_bursts(controller, row, access);
  if (access.access_class != AccessClass::atomic) return;
  row.write = true;
  add_bursts(controller, row, access);
}

void DramRequestRecorder::add_bursts(const MemoryController& controller, DramRequestRow row,
                                     const Access& access) {
  const MemoryControllerParams& params = controller.params();
  const LineBursts& bursts = controller.core().line_bursts();
  const DramLocation place = controller.location_of(access);
  const std::uint8_t sectors = bursts.sectors_in(access);
  const Address line = access.line & ~(params.line.count - 1);
  row.bank_group = place.bank / params.timing.banks_per_group;
  row.bank = place.bank % params.timing.banks_per_group;
  row.row = place.row;
  row.bytes = static_cast<unsigned>(params.timing.bytes_per_CAS);
  for (int i = 0; i < bursts.count(sectors); ++i) {
    const int column = bursts.column(sectors, i);
    row.column = place.column + column;
    row.address = line + static_cast<Address>(column) * row.bytes;
    waiting_.push({row, order_++});
  }
}

void DramRequestRecorder::write_until(Cycle cycle) {
  for (; !waiting_.empty() && waiting_.top().row.arrive <= cycle; waiting_.pop())
    file_.add(waiting_.top().row);
}

void DramRequestRecorder::finish() {
  write_until(never);
  file_.finish();
}

}  // namespace strata::platforms
