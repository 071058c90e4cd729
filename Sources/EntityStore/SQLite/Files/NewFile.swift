import Foundation

/// Files that are made under a temporary name, and get their own name when they are complete.
enum NewFile {
  /// Makes an empty file, to be written.
  ///
  /// - Parameter permissions: `nil` leaves them to the system.
  /// - Throws: ``StoreError`` of kind `diskFull` or `cannotOpen`, also where the file exists.
  static func make(_ path: String, permissions: Int?) throws -> FileHandle {
    let descriptor = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, permissions == nil ? 0o666 : 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    // The system removes some of the permissions with which a file is made.
    if let permissions { fchmod(descriptor, mode_t(truncatingIfNeeded: permissions)) }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  private static func failure(_ path: String, _ code: Int32) -> StoreError {
    let reason = "'\(path)' can't be made: \(String(cString: strerror(code)))."
    switch code {
    case ENOSPC, EDQUOT: return StoreError(.diskFull, "\(reason) Free some space and try again.")
    case EMFILE, ENFILE: return StoreError(.cannotOpen, "\(reason) \(StoreError.descriptorAdvice)")
    default: return StoreError(.cannotOpen, "\(reason) Its folder must be there, and allow writing.")
    }
  }

  /// Waits until the bytes of a file are on the disk.
  ///
  /// - Throws: ``StoreError`` of kind `ioError`, or `diskFull`.
  static func synchronize(_ handle: FileHandle) throws {
    #if canImport(Darwin)
      // The disks of Apple's systems report writes that are still in their caches, unless a program asks otherwise.
      guard fcntl(handle.fileDescriptor, F_FULLFSYNC) != 0 else { return }
    #endif
    guard fsync(handle.fileDescriptor) != 0 else { return }
    let code = errno
    throw StoreError(
      [ENOSPC, EDQUOT].contains(code) ? .diskFull : .ioError,
      "The system could not bring the new file to the disk: \(String(cString: strerror(code))). Look at the medium, and try "
        + "again.")
  }

  /// Waits until the names in a file's folder are on the disk: otherwise a power cut may remove a new name.
  ///
  /// Some file systems can't do it. No error is reported then, as SQLite reports none after it made or deleted a file.
  static func synchronizeFolder(of url: URL) {
    let descriptor = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}
