import Foundation

@testable import EntityStore

/// Files that were looked at, and found as they must be, after a fault: another look at the same bytes finds the same.
@MainActor final class SoundFiles {
  /// A file that nobody has open, and all that it is held against.
  struct File: Equatable {
    private let bytes: Data
    private let areThere: [Bool?]
    private let isOpened: Bool

    /// - Returns: `nil` where there is no file, or a write-ahead log beside it.
    init?(_ location: StoreLocation, _ areThere: [Bool?], isOpened: Bool) throws {
      guard let file = location.fileURL, FileManager.default.fileExists(atPath: file.path),
        !["-wal", "-journal"].contains(where: { FileManager.default.fileExists(atPath: file.path + $0) })
      else { return nil }
      bytes = try Data(contentsOf: file)
      (self.areThere, self.isOpened) = (areThere, isOpened)
    }
  }

  /// A bound of the memory. The faults within a step leave few files.
  private static let most = 64

  private var files: [File] = []

  func has(_ file: File) -> Bool { files.contains(file) }

  func add(_ file: File) {
    if files.count == Self.most { files.removeFirst() }
    files.append(file)
  }
}
