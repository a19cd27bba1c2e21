#include "runtime/api/dlpack_conversion.h"
#include "runtime/api/handles.h"
#include "runtime/api/open_device.h"
#include "runtime/core/load_package.h"

namespace ingot::runtime {
namespace {

std::string weights_path(const ingot_load_options* options) {
  return options == nullptr || options->weights_path == nullptr ? "" : options->weights_path;
}

Status load(Result<ProgramSource> source, const ingot_load_options* options,
            ingot_program** program) {
  if (!source.ok()) return std::move(source).status();
  const ingot_load_options defaults{};
  const ingot_load_options& chosen = options == nullptr ? defaults : *options;
  INGOT_ASSIGN_OR_RETURN(
      std::shared_ptr<Device> device,
      open_device(chosen.device == nullptr ? "cpu" : chosen.device, chosen.cpu_threads));
  INGOT_ASSIGN_OR_RETURN(
      std::shared_ptr<LoadedProgram> loaded,
      LoadedProgram::load(std::move(device), std::move(source).value(),
                          chosen.plan_target == nullptr ? "" : chosen.plan_target));
  auto table = std::make_shared<const InfoTable>(describe_program(*loaded));
  *program = new ingot_program{std::move(loaded), std::move(table)};
  return ok_status();
}

ingot_status* copy_info(const ingot_program* program,
                        std::vector<InfoTable::Entry> InfoTable::*member, size_t index,
                        ingot_info* info) {
  return guarded([&]() -> Status {
    if (program == nullptr || info == nullptr) return bad_call("program or info is null");
    const std::vector<InfoTable::Entry>& entries = (*program->table).*member;
    if (index >= entries.size()) {
      return bad_call(fmt::format("index {} is out of range; there are {}", index, entries.size()));
    }
    *info = entries[index].info;
    return ok_status();
  });
}

}  // namespace
}  // namespace ingot::runtime

using ingot::Status;
using namespace ingot::runtime;  // NOLINT: the functions below are this namespace's C face

ingot_status* ingot_program_load(const char* path, const ingot_load_options* options,
                                 ingot_program** program) {
  return guarded([&]() -> Status {
    if (program == nullptr) return bad_call("program is null");
    *program = nullptr;
    if (path == nullptr) return bad_call("path is null");
    return load(read_package(path, weights_path(options)), options, program);
  });
}

ingot_status* ingot_program_load_memory(const void* data, size_t bytes,
                                        const ingot_load_options* options,
                                        ingot_program** program) {
  return guarded([&]() -> Status {
    if (program == nullptr) return bad_call("program is null");
    *program = nullptr;
    if (data == nullptr) return bad_call("data is null");
    return load(read_package_bytes({static_cast<const std::byte*>(data), bytes}), options, program);
  });
}

void ingot_program_free(ingot_program* program) { delete program; }

size_t ingot_program_input_count(const ingot_program* program) {
  return program == nullptr ? 0 : program->table->inputs.size();
}

size_t ingot_program_output_count(const ingot_program* program) {
  return program == nullptr ? 0 : program->table->outputs.size();
}

size_t ingot_program_state_count(const ingot_program* program) {
  return program == nullptr ? 0 : program->table->states.size();
}

size_t ingot_program_weight_count(const ingot_program* program) {
  return program == nullptr ? 0 : program->table->weights.size();
}

ingot_status* ingot_program_input(const ingot_program* program, size_t index, ingot_info* info) {
  return copy_info(program, &InfoTable::inputs, index, info);
}

ingot_status* ingot_program_output(const ingot_program* program, size_t index, ingot_info* info) {
  return copy_info(program, &InfoTable::outputs, index, info);
}

ingot_status* ingot_program_state(const ingot_program* program, size_t index, ingot_info* info) {
  return copy_info(program, &InfoTable::states, index, info);
}

ingot_status* ingot_program_weight(const ingot_program* program, size_t index, ingot_info* info) {
  return copy_info(program, &InfoTable::weights, index, info);
}

ingot_status* ingot_program_update_weights(ingot_program* program, const char* const* names,
                                           const DLTensor* const* tensors, size_t count) {
  return guarded([&]() -> Status {
    if (program == nullptr) return bad_call("program is null");
    if (count > 0 && (names == nullptr || tensors == nullptr)) {
      return bad_call("names or tensors is null");
    }
    std::vector<WeightUpdate> updates;
    for (size_t i = 0; i < count; ++i) {
      if (names[i] == nullptr) return bad_call(fmt::format("names[{}] is null", i));
      INGOT_ASSIGN_OR_RETURN(const TensorView view,
                             host_view_of(tensors[i], fmt::format("the value for '{}'", names[i])));
      updates.push_back({names[i], view});
    }
    return program->loaded->update_weights(updates);
  });
}
