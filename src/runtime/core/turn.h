// Keeps a second thread out of what one thread at a time may use, with an error instead of a wait.
#pragma once

#include <atomic>

#include "support/diagnostics.h"

namespace ingot::runtime {

// Takes the flag for as long as it lives, if nobody else has it.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& busy) : busy_(busy), taken_(!busy.exchange(true)) {}
  ~Turn() {
    if (taken_) busy_ = false;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  Status status() const {
    if (taken_) return ok_status();
    return make_status(Diag::kBadCall,
                       "the context is in use by another thread; make one context per thread");
  }

 private:
  std::atomic<bool>& busy_;
  bool taken_;
};

}  // namespace ingot::runtime
