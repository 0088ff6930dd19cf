#include "models/cta_dispatcher/cta_dispatcher.h"

#include <algorithm>

namespace strata {

CtaDispatcher::CtaDispatcher(sc_core::sc_module_name module_name, const CtaDispatcherParams& params,
                             const BuildContext& context)
    : Block(module_name, context.clock, max_applications),
      boundary(*this, "boundary", 0),
      params_(params),
      seed_(context.seed) {
  for (int c = 0; c < params.clusters; ++c)
    clusters_.push_back(std::make_unique<ControlOut<CtaLaunchIf>>(*this, "cluster", c));
}

CtaDispatcher::~CtaDispatcher() = default;

void CtaDispatcher::set_applications(const std::vector<Application>& applications) {
  queues_.clear();
  for (const Application& application : applications) {
    const int index = static_cast<int>(queues_.size());
    const std::string jitter = index == 0 ? name() : name() + ("/" + std::to_string(index));
    queues_.push_back(std::make_unique<KernelQueue>(*this, index, params_, application, seed_, jitter));
  }
}

void CtaDispatcher::end_of_elaboration() {
  for (const auto& queue : queues_) queue->elaborate();
  for (int c = 0; c < params_.clusters; ++c) {
    CtaLaunchIf& cluster_if = cluster(c).get();
    cluster_if.connect(*this, c);
    if (!queues_.empty()) cluster_if.assign(applications_of(cluster_if.sms(), c));
    for (std::size_t a = 0; a < queues_.size(); ++a)
      if (queues_[a]->side_by_side()) cluster_if.count_kernels(static_cast<int>(a));
  }
  if (boundary.bound()) boundary->connect(*this);
}

std::vector<int> CtaDispatcher::applications_of(int sms, int cluster) const {
  std::vector<int> owners(static_cast<std::size_t>(sms), -1);
  for (std::size_t a = 0; a < queues_.size(); ++a) {
    const Application& application = queues_[a]->application();
    for (int sm = application.first_sm; sm < application.first_sm + application.sms && sm < sms; ++sm)
      owners[static_cast<std::size_t>(sm)] = static_cast<int>(a);
  }
  const Application& last = queues_.back()->application();
  const auto idle = std::count(owners.begin(), owners.end(), -1);
  if (idle == 0 && last.first_sm + last.sms == sms) return owners;
  throw ConfigError(std::string(name()) + ": the applications' shares take " +
                    std::to_string(last.first_sm + last.sms) + " SMs of each cluster, but cluster " +
                    std::to_string(cluster) + " has " + std::to_string(sms));
}

void CtaDispatcher::start_of_simulation() {
  for (std::size_t a = 0; a < queues_.size(); ++a) book(0, static_cast<int>(a));
}

void CtaDispatcher::advance(Cycle now, int unit) {
  queues_[static_cast<std::size_t>(unit)]->advance(now);
}

bool CtaDispatcher::finished() const {
  return !queues_.empty() &&
         std::all_of(queues_.begin(), queues_.end(), [](const auto& queue) { return queue->finished(); });
}

Cycle CtaDispatcher::end_cycle() const {
  Cycle end = 0;
  for (const auto& queue : queues_) end = std::max(end, queue->end_cycle());
  return end;
}

Cycle CtaDispatcher::pauses_until() const {
  Cycle last = 0;
  for (const auto& queue : queues_) last = std::max(last, queue->pauses_until());
  return clock().ledger_at(last);
}

std::uint64_t CtaDispatcher::work_done() const {
  std::uint64_t sum = 0;
  for (const auto& queue : queues_) sum += queue->work_done();
  return sum;
}

void CtaDispatcher::cta_done(int cluster, int sm, std::uint32_t kernel, Cycle now) {
  for (const auto& queue : queues_)
    if (queue->owns(sm)) return queue->cta_done(cluster, sm, kernel, now);
}

void CtaDispatcher::drained(int, int application, Cycle now) {
  queues_[static_cast<std::size_t>(application)]->drained(now);
}

void CtaDispatcher::flush_done(int, int application, Cycle now) {
  queues_[static_cast<std::size_t>(application)]->flush_done(now);
}

bool CtaDispatcher::can_stall() const {
  return std::all_of(clusters_.begin(), clusters_.end(), [](auto& port) { return port->get().can_stall(); });
}

int CtaDispatcher::sm_count() const {
  int count = 0;
  for (const auto& port : clusters_) count += port->get().sms();
  return count;
}

std::uint64_t CtaDispatcher::instructions(int application) const {
  std::uint64_t count = 0;
  for (const auto& port : clusters_) count += port->get().instructions(application);
  return count;
}

void CtaDispatcher::stall_sms(ApplicationSet who) {
  quiescing_ = 0;
  for (int a = 0; a < application_count(); ++a) {
    if ((who & only_application(a)) == 0) continue;
    quiescing_ += params_.clusters;
    for (auto& port : clusters_) port->get().stall(a);
  }
}

void CtaDispatcher::resume_sms(ApplicationSet who) {
  for (int a = 0; a < application_count(); ++a)
    if ((who & only_application(a)) != 0)
      for (auto& port : clusters_) port->get().resume(a);
}

void CtaDispatcher::quiesced(int, int, Cycle now) {
  if (--quiescing_ == 0) boundary->sms_quiesced(now);
}

void CtaDispatcher::fail(std::exception_ptr reason) {
  failure_ = std::move(reason);
  sc_core::sc_stop();
}

DispatchProgress CtaDispatcher::progress(int application) const {
  if (queues_.empty()) return {};
  return queues_[static_cast<std::size_t>(application)]->progress();
}

void CtaDispatcher::settle(Cycle now) {
  if (queues_.empty()) {
    stats_.phase_cycles[static_cast<std::size_t>(KernelPhase::launching)] = now;
    return;
  }
  for (const auto& queue : queues_) queue->settle(now);
}

// What is running counts as launched again.
void CtaDispatcher::reset_stats() {
  settle(clock().now());
  const CtaDispatcherStats before = stats_;
  stats_ = {};
  stats_.kernels_launched = stats_.kernels_running = before.kernels_running;
  stats_.ctas_launched = stats_.ctas_running = before.ctas_running;
}

Faults CtaDispatcher::check_idle() const {
  Faults faults;
  for (const auto& queue : queues_)
    for (Fault& fault : queue->check_idle(name())) faults.push_back(std::move(fault));
  return faults;
}

std::vector<WaitNote> CtaDispatcher::waits() const {
  std::vector<WaitNote> notes;
  for (std::size_t a = 0; a < queues_.size(); ++a) {
    const std::size_t before = notes.size();
    queues_[a]->add_waits(notes);
    for (std::size_t n = before; queues_.size() > 1 && n < notes.size(); ++n)
      notes[n].what = "application " + std::to_string(a) + ", " + notes[n].what;
  }
  return notes;
}

}  // namespace strata
