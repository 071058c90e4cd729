import Foundation
import Synchronization

/// The role of the one sender of a store's changes. A lock on a file beside the store gives it to one process at a time.
/// The system releases the lock of a process that ends, however it ends, and no clock is in it.
///
/// The lock needs a local disk, as the write-ahead log does.
package final class SenderRole: Sendable {
  /// The ending of the file's name.
  static let ending = "-outbox"

  /// The ending of the name of a folder with the files that the outbox is yet to upload.
  static let attachments = "-attachments"

  private static let inMemory = Mutex<Set<String>>([])

  private let release: @Sendable () -> Void

  private init(_ release: @escaping @Sendable () -> Void) { self.release = release }

  deinit { release() }

  /// Takes the role.
  ///
  /// - Returns: `nil` where another sender has it.
  /// - Throws: ``StoreError`` of kind `cannotOpen` where the file of the lock can't be made.
  package static func take(_ location: StoreLocation) throws -> SenderRole? {
    guard let file = location.fileURL?.resolvingSymlinksInPath().path else {
      let name = location.path
      guard inMemory.withLock({ $0.insert(name).inserted }) else { return nil }
      return SenderRole { _ = inMemory.withLock { $0.remove(name) } }
    }
    let descriptor = open(file + ending, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw StoreError(
        .cannotOpen, "The file '\(file + ending)', which says who sends the changes, can't be made: \(reason).")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let (code, reason) = (errno, reason)
      close(descriptor)
      if code == EWOULDBLOCK { return nil }
      throw StoreError(.cannotOpen, "The file '\(file + ending)' can't be locked: \(reason).")
    }
    return SenderRole { close(descriptor) }
  }

  private static var reason: String { String(cString: strerror(errno)) }
}
