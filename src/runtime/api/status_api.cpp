#include "runtime/api/handles.h"

namespace ingot::runtime {

ingot_status* out_of_memory() noexcept {
  // Made before memory runs out, and never freed.
  static ingot_status status{make_status(Diag::kOutOfMemory, "out of memory")};
  return &status;
}

}  // namespace ingot::runtime

namespace {
// So that the first use does not have to allocate.
[[maybe_unused]] const ingot_status* const kReserved = ingot::runtime::out_of_memory();
}  // namespace

int32_t ingot_status_code(const ingot_status* status) {
  return status == nullptr ? INGOT_OK : static_cast<int32_t>(status->status.code());
}

int32_t ingot_status_id(const ingot_status* status) {
  return status == nullptr ? 0 : status->status.id();
}

const char* ingot_status_message(const ingot_status* status) {
  return status == nullptr ? "" : status->status.message().c_str();
}

void ingot_status_free(ingot_status* status) {
  if (status != ingot::runtime::out_of_memory()) delete status;
}

const char* ingot_version(void) { return INGOT_VERSION; }
