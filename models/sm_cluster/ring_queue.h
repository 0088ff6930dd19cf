#pragma once

#include <cstddef>
#include <vector>

namespace strata {

/// FIFO in a ring that doubles when it is full: after the first cycles nothing allocates any more.
template <class T>
class RingQueue {
 public:
  explicit RingQueue(std::size_t capacity = 16) {
    std::size_t size = 1;
    while (size < capacity) size *= 2;
    ring_.resize(size);
  }
  bool empty() const { return head_ == tail_; }
  std::size_t size() const { return tail_ - head_; }
  T& front() { return ring_[head_ & (ring_.size() - 1)]; }
  const T& front() const { return ring_[head_ & (ring_.size() - 1)]; }
  /// The i-th from the front.
  T& at(std::size_t i) { return ring_[(head_ + i) & (ring_.size() - 1)]; }
  void pop() { ++head_; }
  void push(const T& value) {
    if (size() == ring_.size()) grow();
    ring_[tail_++ & (ring_.size() - 1)] = value;
  }

 private:
  void grow() {
    std::vector<T> wider(ring_.size() * 2);
    const std::size_t count = size();
    for (std::size_t i = 0; i < count; ++i) wider[i] = at(i);
    ring_.swap(wider);
    head_ = 0;
    tail_ = count;
  }

  std::vector<T> ring_;
  std::size_t head_ = 0;
  std::size_t tail_ = 0;
};

}  // namespace strata
