#include "ops/testing.h"

#include "support/diagnostics.h"

namespace ingot::ops {

std::vector<Case> first_dynamic(std::vector<Case> cases) {
  cases.at(0).dynamic = true;
  return cases;
}

int64_t RefTensor::elements() const {
  int64_t count = 1;
  for (int64_t size : sizes) count *= size;
  return count;
}

int64_t RefTensor::offset(std::span<const int64_t> index) const {
  INGOT_CHECK(index.size() == sizes.size(), "an index of another rank than its tensor");
  int64_t offset = 0;
  for (size_t i = 0; i < sizes.size(); ++i) offset = offset * sizes[i] + index[i];
  return offset;
}

const RefArg& RefArgs::arg(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return args[i];
  }
  throw InternalError("no argument named " + std::string(name));
}

bool RefArgs::has(std::string_view name) const {
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return !std::holds_alternative<NoneArg>(args[i]);
  }
  return false;
}

bool RefArgs::is_tensor(std::string_view name) const {
  return std::holds_alternative<RefTensor>(arg(name));
}

const RefTensor& RefArgs::tensor(std::string_view name) const {
  return std::get<RefTensor>(arg(name));
}

const std::vector<RefTensor>& RefArgs::tensors(std::string_view name) const {
  return std::get<std::vector<RefTensor>>(arg(name));
}

int64_t RefArgs::integer(std::string_view name) const {
  const RefArg& value = arg(name);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return std::get<int64_t>(value);
}

std::vector<int64_t> RefArgs::integers(std::string_view name) const {
  return std::get<std::vector<int64_t>>(arg(name));
}

double RefArgs::number(std::string_view name) const {
  const RefArg& value = arg(name);
  if (const int64_t* integer = std::get_if<int64_t>(&value)) return static_cast<double>(*integer);
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? 1.0 : 0.0;
  return std::get<double>(value);
}

bool RefArgs::flag(std::string_view name) const { return std::get<bool>(arg(name)); }

std::string RefArgs::text(std::string_view name) const { return std::get<std::string>(arg(name)); }

DType RefArgs::dtype_or(std::string_view name, DType otherwise) const {
  return has(name) ? std::get<DType>(arg(name)) : otherwise;
}

RefTensor RefArgs::tensor_or_number(std::string_view name) const {
  const RefArg& value = arg(name);
  if (const RefTensor* tensor = std::get_if<RefTensor>(&value)) return *tensor;
  const DType dtype = std::holds_alternative<int64_t>(value) ? DType::kI64
                      : std::holds_alternative<bool>(value)  ? DType::kBool
                                                             : DType::kF64;
  return {dtype, {}, {number(name)}};
}

}  // namespace ingot::ops
