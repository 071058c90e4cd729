import EntityRequests
import EntityStore
import Foundation
import Synchronization

/// The folder with the copies of attached files: beside the store's file, or a temporary one that goes with this value.
///
/// A copy is there before its entry, and goes after it. So a copy without an entry is left over from a crash, unless its
/// file is locked: then its entry is about to come.
final class AttachmentFolder: Sendable {
  private let place: URL
  private let isTemporary: Bool
  /// The copies whose bytes were compared with their digests, as they were then.
  private let verified = Mutex<[String: FileStamp]>([:])

  init(_ core: StoreCore) {
    isTemporary = core.attachmentFolder == nil
    place = core.attachmentFolder ?? URL.temporaryDirectory.appending(path: "entityclient-\(Self.newName())")
  }

  deinit { if isTemporary { try? FileManager.default.removeItem(at: place) } }

  func url(of copy: String) -> URL { place.appending(path: copy) }

  /// 128 random bits.
  private static func newName() -> String {
    var random = SystemRandomNumberGenerator()
    return [random.next() as UInt64, random.next()].map { number in
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
  }

  // MARK: Making copies

  /// Copies a file. The copy is on the disk when this returns.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a file that can't be read or copied; `CancellationError`.
  @concurrent func copy(_ file: URL, filename: String, contentType: String) async throws -> AttachmentCopy {
    try await FileWork.run { [self] isCancelled in
      let source = try FileWork.openFile(file)
      defer { close(source) }
      try make()
      let (name, descriptor) = try newFile()
      let copy = AttachmentCopy(url: url(of: name), descriptor: descriptor)
      do {
        let (size, digest) = try FileWork.copy(source, to: descriptor, isCancelled)
        guard fsync(descriptor) == 0 else { throw FileWork.failure("The copy can't be brought to the disk") }
        FileWork.synchronizeFolder(place)
        copy.file = AttachedFile(
          copy: name, filename: filename, contentType: contentType, size: size, digest: digest)
        return copy
      } catch {
        copy.discard()
        throw error
      }
    }
  }

  private func make() throws {
    guard mkdir(place.path, 0o700) != 0 else { return }
    guard errno == EEXIST else { throw FileWork.failure("The folder '\(place.lastPathComponent)' can't be made") }
    var status = stat()
    guard lstat(place.path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw RequestError(.invalidRequest, "'\(place.lastPathComponent)' beside the store is no folder: remove it.")
    }
  }

  /// A new file with its lock. Another process may remove a file before it is locked.
  private func newFile() throws -> (name: String, descriptor: Int32) {
    for _ in 0..<100 {
      let name = Self.newName()
      let descriptor = open(url(of: name).path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileWork.failure("The copy of the file can't be made") }
      var status = stat()
      if flock(descriptor, LOCK_EX) == 0, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        return (name, descriptor)
      }
      close(descriptor)
    }
    throw RequestError(.invalidRequest, "The copy of the file can't be made: it is removed again and again.")
  }

  // MARK: Reading copies

  /// Compares the bytes of a copy with its digest, once, and its place and time each time.
  ///
  /// - Throws: `RequestError` of kind `invalidRequest` for a copy that is gone or has changed.
  @concurrent func check(_ file: AttachedFile) async throws {
    try await FileWork.run { [self] isCancelled in
      guard let descriptor = try? FileWork.openFile(url(of: file.copy)), let stamp = FileStamp(descriptor) else {
        throw RequestError(
          .invalidRequest,
          "The copy of '\(file.filename)' is gone from '\(place.lastPathComponent)'. Drop the attachment, and attach the file "
            + "again.")
      }
      defer { close(descriptor) }
      guard verified.withLock({ $0[file.copy] }) != stamp else { return }
      guard stamp.size == file.size, try FileWork.digest(descriptor, isCancelled) == file.digest else {
        throw RequestError(
          .invalidRequest,
          "The copy of '\(file.filename)' has changed since it was attached. Drop the attachment, and attach the file again."
        )
      }
      verified.withLock { $0[file.copy] = stamp }
    }
  }

  /// A piece of a copy.
  @concurrent func piece(_ range: Range<Int64>, of file: AttachedFile) async throws -> Data {
    try await FileWork.run { [self] _ in
      let descriptor = try FileWork.openFile(url(of: file.copy))
      defer { close(descriptor) }
      return try FileWork.piece(descriptor, range)
    }
  }

  // MARK: Removing copies

  /// The names of all copies.
  @concurrent func all() async -> [String] {
    (try? await FileWork.run { [self] _ in
      (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    })?.filter(AttachedFile.isCopy) ?? []
  }

  /// Removes those of some copies that no entry of the store has.
  @concurrent func remove(_ copies: some Collection<String> & Sendable, from core: StoreCore) async {
    for copy in copies {
      let path = url(of: copy).path
      let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
      guard descriptor >= 0 else { continue }
      defer { close(descriptor) }
      // The lock of a copy whose entry is not written yet. The look at the entries comes after it.
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0,
        (try? await core.read { try $0.pendingEdits.outboxKeeps(copy) }) == false
      else { continue }
      unlink(path)
      verified.withLock { $0[copy] = nil }
    }
  }
}

/// A copy whose entry is not in the store yet. Its lock ends with this value.
///
/// `@unchecked Sendable`: ``file`` is set before the value is handed on, and not after that.
final class AttachmentCopy: @unchecked Sendable {
  private let url: URL
  private let descriptor: Int32
  fileprivate(set) var file = AttachedFile(copy: "", filename: "", contentType: "", size: 0, digest: "")

  fileprivate init(url: URL, descriptor: Int32) { (self.url, self.descriptor) = (url, descriptor) }

  deinit { close(descriptor) }

  /// No entry takes the copy.
  func discard() { unlink(url.path) }
}
