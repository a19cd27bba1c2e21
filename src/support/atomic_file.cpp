#include "support/atomic_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "support/diagnostics.h"

namespace ingot {
namespace {

Status unwritable(const std::string& path, std::string_view why) {
  return make_status(Diag::kFileUnwritable, fmt::format("cannot write '{}': {}", path, why));
}

// Two writers of the same path, in one process or two, never share a temporary file.
std::string temporary_name(const std::string& path) {
  static std::atomic<uint64_t> counter{0};
  return fmt::format("{}.{}-{}.tmp", path, ::getpid(), counter.fetch_add(1));
}

}  // namespace

AtomicFile::AtomicFile(std::string path, std::string temporary, int fd)
    : path_(std::move(path)), temporary_(std::move(temporary)), fd_(fd) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      size_(other.size_) {
  other.temporary_.clear();
}

AtomicFile::~AtomicFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::create(const std::string& path) {
  std::string target = path;
  struct stat info = {};
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    char resolved[PATH_MAX];
    if (::realpath(path.c_str(), resolved) == nullptr) {
      return unwritable(path, std::strerror(errno));
    }
    target = resolved;
  }
  if (::stat(target.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return unwritable(path, S_ISDIR(info.st_mode) ? "it is a folder" : "it is not a regular file");
  }
  for (;;) {
    std::string temporary = temporary_name(target);
    const int fd = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return AtomicFile(std::move(target), std::move(temporary), fd);
    if (errno != EEXIST) return unwritable(path, std::strerror(errno));
  }
}

Status AtomicFile::fail(int error) const { return unwritable(path_, std::strerror(error)); }

Status AtomicFile::append(std::span<const std::byte> bytes) {
  const uint64_t offset = size_;
  INGOT_RETURN_IF_ERROR(write_at(offset, bytes));
  size_ = offset + bytes.size();
  return ok_status();
}

Status AtomicFile::write_at(uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0) {
      if (errno == EINTR) continue;
      return fail(errno);
    }
    offset += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return ok_status();
}

Status AtomicFile::commit() {
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0) return fail(errno);
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return fail(errno);
  temporary_.clear();
  return ok_status();
}

Status write_file(const std::string& path, std::span<const std::byte> bytes) {
  INGOT_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  INGOT_RETURN_IF_ERROR(file.append(bytes));
  return file.commit();
}

}  // namespace ingot
