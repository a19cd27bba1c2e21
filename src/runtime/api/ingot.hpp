// Ingot's C++ API: the C API of ingot.h with ownership and exceptions. Header-only; C++17.
//
//   ingot::Program program = ingot::Program::load("model.ingot");
//   ingot::Context context(program);
//   std::vector<float> x(2 * 64, 0.5f);
//   std::vector<ingot::Value> outputs = context.run({ingot::tensor(x, {2, 64})});
//   const float* y = outputs[0].tensor().data<float>();
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ingot.h"

namespace ingot {

// What every function here throws. `what()` is the message and its notes.
class Error : public std::runtime_error {
 public:
  Error(int code, int id, const std::string& message)
      : std::runtime_error(message), code_(code), id_(id) {}
  int code() const noexcept { return code_; }  // ingot_code
  int id() const noexcept { return id_; }      // the number in error[E0503]

 private:
  int code_;
  int id_;
};

namespace detail {

inline void check(ingot_status* status) {
  if (status == nullptr) return;
  const Error error(ingot_status_code(status), ingot_status_id(status),
                    ingot_status_message(status));
  ingot_status_free(status);
  throw error;
}

template <typename T>
struct DataType;
#define INGOT_DATA_TYPE(type, code, bits)                           \
  template <>                                                       \
  struct DataType<type> {                                           \
    static constexpr DLDataType value() { return {code, bits, 1}; } \
  };
INGOT_DATA_TYPE(bool, kDLBool, 8)
INGOT_DATA_TYPE(uint8_t, kDLUInt, 8)
INGOT_DATA_TYPE(int8_t, kDLInt, 8)
INGOT_DATA_TYPE(int16_t, kDLInt, 16)
INGOT_DATA_TYPE(int32_t, kDLInt, 32)
INGOT_DATA_TYPE(int64_t, kDLInt, 64)
INGOT_DATA_TYPE(float, kDLFloat, 32)
INGOT_DATA_TYPE(double, kDLFloat, 64)
#undef INGOT_DATA_TYPE

inline bool same(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

}  // namespace detail

// The caller's memory with a shape: what goes into a run, or where a result goes. Does not own the
// memory.
class TensorView {
 public:
  // Row-major when `strides` (in elements) is empty. `dtype` for types that C++ lacks, such as
  // {kDLBfloat, 16, 1}.
  TensorView(void* data, DLDataType dtype, std::vector<int64_t> shape,
             std::vector<int64_t> strides = {}, bool read_only = false)
      : data_(data),
        dtype_(dtype),
        shape_(std::move(shape)),
        strides_(std::move(strides)),
        read_only_(read_only) {}

  // Valid while this view lives and is not moved.
  DLTensor dlpack() const {
    DLTensor tensor{};
    tensor.data = data_;
    tensor.device = {kDLCPU, 0};
    tensor.ndim = static_cast<int32_t>(shape_.size());
    tensor.dtype = dtype_;
    tensor.shape = const_cast<int64_t*>(shape_.data());
    tensor.strides = strides_.empty() ? nullptr : const_cast<int64_t*>(strides_.data());
    return tensor;
  }
  bool read_only() const { return read_only_; }

 private:
  void* data_;
  DLDataType dtype_;
  std::vector<int64_t> shape_;
  std::vector<int64_t> strides_;
  bool read_only_;
};

template <typename T>
TensorView tensor(T* data, std::vector<int64_t> shape) {
  return {data, detail::DataType<T>::value(), std::move(shape)};
}
template <typename T>
TensorView tensor(const T* data, std::vector<int64_t> shape) {
  return {const_cast<T*>(data), detail::DataType<T>::value(), std::move(shape), {}, true};
}
// Throws when the vector does not have as many elements as the shape.
template <typename Vector>
TensorView tensor(Vector& values, std::vector<int64_t> shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  if (count != static_cast<int64_t>(values.size())) {
    throw Error(INGOT_INVALID_ARGUMENT, 102, "the vector's length is not the shape's");
  }
  return tensor(values.data(), std::move(shape));
}

// A result that the runtime allocated: returned to its context's pool when the last copy goes.
class Tensor {
 public:
  explicit Tensor(DLManagedTensorVersioned* managed)
      : managed_(managed, [](DLManagedTensorVersioned* t) { t->deleter(t); }) {}

  std::vector<int64_t> shape() const { return {dlpack().shape, dlpack().shape + dlpack().ndim}; }
  DLDataType dtype() const { return dlpack().dtype; }
  size_t size() const {
    size_t count = 1;
    for (int i = 0; i < dlpack().ndim; ++i) count *= static_cast<size_t>(dlpack().shape[i]);
    return count;
  }
  // Row-major. Throws when T is not the tensor's type.
  template <typename T>
  T* data() const {
    if (!detail::same(dtype(), detail::DataType<T>::value())) {
      throw Error(INGOT_INVALID_ARGUMENT, 102, "the tensor has another element type");
    }
    return static_cast<T*>(dlpack().data);
  }
  void* raw_data() const { return dlpack().data; }
  const DLTensor& dlpack() const { return managed_->dl_tensor; }

 private:
  std::shared_ptr<DLManagedTensorVersioned> managed_;
};

// One result of a run.
class Value {
 public:
  explicit Value(const ingot_output& output) : output_(output) {
    if (output.tensor != nullptr) tensor_ = std::make_shared<Tensor>(output.tensor);
  }
  int kind() const { return output_.kind; }  // ingot_kind
  // Throws when the value is no tensor of the pool.
  const Tensor& tensor() const {
    if (tensor_ == nullptr) throw Error(INGOT_INVALID_ARGUMENT, 102, "the value is no tensor");
    return *tensor_;
  }
  int64_t integer() const { return output_.integer; }
  double real() const { return output_.real; }
  std::string string() const { return output_.string == nullptr ? "" : output_.string; }

 private:
  ingot_output output_;
  std::shared_ptr<Tensor> tensor_;
};

// One value given to a run, by position or with a name.
class Argument {
 public:
  Argument(TensorView view) : view_(std::make_shared<TensorView>(std::move(view))) {}  // NOLINT
  Argument(bool value) { set(INGOT_BOOL).integer = value; }                            // NOLINT
  Argument(int value) { set(INGOT_INT).integer = value; }                              // NOLINT
  Argument(int64_t value) { set(INGOT_INT).integer = value; }                          // NOLINT
  Argument(double value) { set(INGOT_FLOAT).real = value; }                            // NOLINT
  Argument(const char* value) : text_(value) { set(INGOT_STRING); }                    // NOLINT
  Argument(std::nullptr_t) { set(INGOT_NONE); }                                        // NOLINT
  template <typename T>
  Argument(T*) = delete;  // not a bool
  Argument(std::string name, Argument value) : Argument(std::move(value)) {
    name_ = std::move(name);
  }

 private:
  friend class Context;
  ingot_input& set(int32_t kind) {
    input_.kind = kind;
    return input_;
  }

  std::string name_;
  std::string text_;
  std::shared_ptr<TensorView> view_;
  ingot_input input_{};
};

// A loaded package. Copies share it.
class Program {
 public:
  static Program load(const std::string& path, const std::string& device = "cpu") {
    ingot_load_options options{};
    options.device = device.c_str();
    return load(path, options);
  }
  static Program load(const std::string& path, const ingot_load_options& options) {
    ingot_program* program = nullptr;
    detail::check(ingot_program_load(path.c_str(), &options, &program));
    return Program(program);
  }
  // `data` must be aligned to 64 bytes and outlive the program and its contexts.
  static Program load_memory(const void* data, size_t bytes,
                             const ingot_load_options& options = {}) {
    ingot_program* program = nullptr;
    detail::check(ingot_program_load_memory(data, bytes, &options, &program));
    return Program(program);
  }

  std::vector<ingot_info> inputs() const {
    return all(ingot_program_input_count, ingot_program_input);
  }
  std::vector<ingot_info> outputs() const {
    return all(ingot_program_output_count, ingot_program_output);
  }
  std::vector<ingot_info> states() const {
    return all(ingot_program_state_count, ingot_program_state);
  }
  std::vector<ingot_info> weights() const {
    return all(ingot_program_weight_count, ingot_program_weight);
  }

  // All at once: every run sees wholly old or wholly new values.
  void update_weights(const std::vector<std::pair<std::string, TensorView>>& values) {
    std::vector<const char*> names;
    std::vector<DLTensor> tensors;
    std::vector<const DLTensor*> pointers;
    for (const auto& [name, view] : values) {
      names.push_back(name.c_str());
      tensors.push_back(view.dlpack());
    }
    for (const DLTensor& tensor : tensors) pointers.push_back(&tensor);
    detail::check(ingot_program_update_weights(get(), names.data(), pointers.data(), names.size()));
  }

  ingot_program* get() const { return program_.get(); }

 private:
  explicit Program(ingot_program* program) : program_(program, ingot_program_free) {}

  template <typename Count, typename Describe>
  std::vector<ingot_info> all(Count count, Describe describe) const {
    std::vector<ingot_info> infos(count(get()));
    for (size_t i = 0; i < infos.size(); ++i) detail::check(describe(get(), i, &infos[i]));
    return infos;
  }

  std::shared_ptr<ingot_program> program_;
};

// One thread's use of a program: its states and scratch memory.
class Context {
 public:
  explicit Context(const Program& program) : program_(program) {
    ingot_context* context = nullptr;
    detail::check(ingot_context_create(program.get(), &context));
    context_.reset(context);
  }

  // Runs the model; results are tensors of the context's pool.
  std::vector<Value> run(const std::vector<Argument>& arguments) {
    std::vector<ingot_output> outputs(ingot_program_output_count(program_.get()));
    run(arguments, outputs);
    return {outputs.begin(), outputs.end()};
  }

  // Runs the model into the caller's tensors, one per output.
  void run_into(const std::vector<Argument>& arguments, const std::vector<TensorView>& results) {
    std::vector<DLTensor> tensors;
    for (const TensorView& view : results) tensors.push_back(view.dlpack());
    std::vector<ingot_output> outputs(results.size());
    for (size_t i = 0; i < results.size(); ++i) outputs[i].destination = &tensors[i];
    run(arguments, outputs);
  }

  void reset_states() { detail::check(ingot_context_reset_state(context_.get(), nullptr)); }
  void reset_state(const std::string& name) {
    detail::check(ingot_context_reset_state(context_.get(), name.c_str()));
  }
  void read_state(const std::string& name, const TensorView& destination) {
    const DLTensor tensor = destination.dlpack();
    detail::check(ingot_context_read_state(context_.get(), name.c_str(), &tensor));
  }
  void write_state(const std::string& name, const TensorView& source) {
    const DLTensor tensor = source.dlpack();
    detail::check(ingot_context_write_state(context_.get(), name.c_str(), &tensor));
  }

  ingot_context* get() const { return context_.get(); }

 private:
  void run(const std::vector<Argument>& arguments, std::vector<ingot_output>& outputs) {
    std::vector<ingot_input> inputs;
    std::vector<DLTensor> tensors(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      ingot_input input = argument.input_;
      if (!argument.name_.empty()) input.name = argument.name_.c_str();
      if (input.kind == INGOT_STRING) input.string = argument.text_.c_str();
      if (argument.view_ != nullptr) {
        tensors[i] = argument.view_->dlpack();
        input.tensor = &tensors[i];
        if (argument.view_->read_only()) input.flags |= INGOT_READ_ONLY;
      }
      inputs.push_back(input);
    }
    detail::check(ingot_context_run(context_.get(), inputs.data(), inputs.size(), outputs.data(),
                                    outputs.size(), nullptr));
  }

  struct Free {
    void operator()(ingot_context* context) const { ingot_context_free(context); }
  };
  Program program_;
  std::unique_ptr<ingot_context, Free> context_;
};

}  // namespace ingot
