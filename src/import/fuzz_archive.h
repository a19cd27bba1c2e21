// Imports bytes for the fuzzers: as a user would, and once more with checksums made right, so that
// damage behind them is reached.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "import/describe.h"
#include "import/import_model.h"
#include "ir/verify.h"
#include "support/diagnostics.h"
#include "support/test_zip.h"
#include "support/zip_directory.h"

namespace ingot::pt2 {

// Opens, describes, imports and verifies an archive. Only CompileError may come of it: an
// InternalError ends the fuzzer.
inline void import_fuzzed(const std::string& content) {
  const int file = ::memfd_create("archive", MFD_CLOEXEC);
  if (file < 0 ||
      ::write(file, content.data(), content.size()) != static_cast<ssize_t>(content.size())) {
    std::abort();
  }
  try {
    const auto archive = Archive::open("/proc/self/fd/" + std::to_string(file));
    const ExportedProgram program = read_exported_program(*archive, archive->models().front());
    describe(*archive, program);
    ir::verify(*import_model(archive, program, {.check_weights = true, .threads = 1}));
  } catch (const CompileError&) {
  }
  ::close(file);
}

// The content with the checksum of every record in the directory made that of its bytes.
inline std::string with_right_checksums(std::string content) {
  const auto entries = read_zip_directory(as_bytes(content));
  if (!entries.ok()) return content;
  constexpr char kCentralMagic[] = "PK\1\2";
  for (const ZipEntry& entry : entries.value()) {
    const uint32_t crc = test_zip::crc_of(content.substr(entry.data_offset, entry.stored_bytes));
    for (size_t at = content.find(kCentralMagic); at != content.npos;
         at = content.find(kCentralMagic, at + 4)) {
      if (content.compare(at + 46, entry.name.size(), entry.name) != 0) continue;
      std::memcpy(content.data() + at + 16, &crc, sizeof(crc));
    }
  }
  return content;
}

}  // namespace ingot::pt2
