#include "import/payload.h"

#include <fmt/core.h>

#include "import/decode.h"
#include "support/diagnostics.h"

namespace ingot::pt2 {
namespace {

Payload decode_payload(Decoder& in, std::string_view folder) {
  Payload payload;
  in.json.object([&](std::string_view key) {
    if (key == "path_name") {
      payload.record = std::string(folder) + in.json.string();
    } else if (key == "is_param") {
      payload.is_param = in.json.boolean();
    } else if (key == "use_pickle") {
      payload.is_pickled = in.json.boolean();
    } else if (key == "tensor_meta") {
      if (in.json.null()) return;
      payload.meta = decode_tensor_meta(in);
      payload.has_meta = true;
    } else {
      in.unknown_member("PayloadMeta", key);
    }
  });
  return payload;
}

void read_table(const Archive& archive, const std::string& record, std::string_view folder,
                Payloads& payloads) {
  if (!archive.find(record)) return;
  Decoder in(archive.text(record), record);
  in.json.object([&](std::string_view key) {
    if (key != "config") return in.unknown_member("PayloadConfig", key);
    in.json.object([&](std::string_view name) {
      std::string owned(name);
      payloads.insert_or_assign(std::move(owned), decode_payload(in, folder));
    });
  });
  in.json.finish();
}

[[noreturn]] void bad_weight(std::string_view name, std::string_view why) {
  throw CompileError(Diag::kArchiveWeight, fmt::format("weight '{}' {}", name, why));
}

// Elements of the storage up to the tensor's last one; fails on overflow.
int64_t needed_elements(std::string_view name, const TensorLayout& layout) {
  int64_t last = layout.storage_offset;
  bool is_empty = false;
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    if (layout.sizes[i] == 0) is_empty = true;
  }
  if (is_empty) return 0;
  for (size_t i = 0; i < layout.sizes.size(); ++i) {
    int64_t span = 0;
    if (__builtin_mul_overflow(layout.sizes[i] - 1, layout.strides[i], &span) ||
        __builtin_add_overflow(last, span, &last)) {
      bad_weight(name, "has sizes and strides that do not fit 64 bits");
    }
  }
  if (last == INT64_MAX) bad_weight(name, "has sizes and strides that do not fit 64 bits");
  return last + 1;
}

}  // namespace

Payloads read_payloads(const Archive& archive, const std::string& model) {
  Payloads payloads;
  read_table(archive, "data/weights/" + model + "_weights_config.json", "data/weights/", payloads);
  read_table(archive, "data/constants/" + model + "_constants_config.json", "data/constants/",
             payloads);
  return payloads;
}

TensorLayout check_payload(const Archive& archive, std::string_view name, const Payload& payload) {
  if (payload.is_pickled || !payload.has_meta) {
    bad_weight(name,
               "is a Python object (a tensor subclass or custom object), which Ingot never "
               "loads");
  }
  const TensorMeta& meta = payload.meta;
  if (meta.layout != kStridedLayout) bad_weight(name, "is a sparse tensor");
  if (meta.sizes.size() != meta.strides.size()) {
    bad_weight(name,
               fmt::format("has {} sizes but {} strides", meta.sizes.size(), meta.strides.size()));
  }
  TensorLayout layout;
  const auto constant = [&](const SymInt& number) {
    if (number.is_expr() || number.value < 0) {
      bad_weight(name, "has a size, stride or offset that is not a natural number");
    }
    return number.value;
  };
  for (const SymInt& size : meta.sizes) layout.sizes.push_back(constant(size));
  for (const SymInt& stride : meta.strides) layout.strides.push_back(constant(stride));
  layout.storage_offset = constant(meta.storage_offset);
  const Record* record = archive.find(payload.record);
  if (!record)
    bad_weight(name, fmt::format("refers to record '{}', which is missing", payload.record));
  const int64_t needed = needed_elements(name, layout);
  const auto available = record->bytes.size() / static_cast<uint64_t>(size_of(meta.dtype));
  if (static_cast<uint64_t>(needed) > available) {
    if (record->bytes.empty()) {
      bad_weight(name, "has no bytes: the program was exported with fake tensors");
    }
    bad_weight(name, fmt::format("needs {} elements of {}, but record '{}' holds {}", needed,
                                 torch_name(meta.dtype), payload.record, available));
  }
  return layout;
}

uint64_t packed_bytes(const TensorMeta& meta) {
  int64_t bytes = size_of(meta.dtype);
  for (const SymInt& size : meta.sizes) {
    if (size.is_expr() || size.value < 0 || __builtin_mul_overflow(bytes, size.value, &bytes)) {
      return 0;
    }
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace ingot::pt2
