// Opens what the command line is given, a package or an archive, on the device it asks for.
#pragma once

#include <memory>
#include <string>

#include "runtime/core/loaded_program.h"

namespace ingot::cli {

enum class FileKind { kPackage, kArchive };

// By the file's first bytes, else by its name. Throws CompileError when the file cannot be read.
FileKind kind_of_file(const std::string& path);

// The program of a package, or of an archive compiled in memory. Warnings go to stderr. Throws
// CompileError.
runtime::ProgramSource open_program(const std::string& path);

// The device of that name; empty: the first usable GPU, else the CPU, and stderr says which and
// why. Throws CompileError.
std::shared_ptr<runtime::Device> open_device(const std::string& name);

// Both of the above.
std::shared_ptr<runtime::LoadedProgram> load_model(const std::string& path,
                                                   const std::string& device);

// Tells what is being done, on a terminal only.
void show_progress(const std::string& text);

}  // namespace ingot::cli
