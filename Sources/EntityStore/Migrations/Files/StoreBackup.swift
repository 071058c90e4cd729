public import Foundation

/// Where a store copies its file before a migration changes it.
///
/// A copy is made beside the file, or in a folder, before a change that does more than add: values move, or a step
/// runs. The copy has the name of the file with `.backup-` and a fingerprint of its schema. A later copy of the same
/// schema replaces it. The copy is a store of its own, which the version of the app before the change can open. Nobody
/// deletes the copy but you: delete it once the migrated store has proved itself.
public enum StoreBackup: Sendable, Hashable {
  /// Beside the store's file.
  case beside
  /// In a folder, which must be there.
  case folder(URL)
  /// No copy is made.
  case none

  /// The file of the copy; `nil` where no copy is made, also for a store in memory.
  func url(of location: StoreLocation, fingerprint: String) -> URL? {
    guard let file = location.fileURL else { return nil }
    let name = "\(file.lastPathComponent).backup-\(fingerprint)"
    switch self {
    case .beside: return file.deletingLastPathComponent().appending(path: name)
    case .folder(let folder): return folder.appending(path: name)
    case .none: return nil
    }
  }

  /// Copies the committed contents of a file. The caller holds its write lock, with changes that are not committed.
  static func copy(_ location: StoreLocation, to url: URL, busyTimeout: Duration, log: StoreLog?) throws {
    // The lock keeps other processes from making the same copy.
    StoreCopy.removeUnfinished(of: url)
    do {
      try StoreCopy(location: location, busyTimeout: busyTimeout, log: log).write(to: url)
    } catch {
      let reason = (error as? StoreError)?.message ?? "\(error)"
      throw StoreError(
        (error as? StoreError)?.kind ?? .cannotOpen,
        "The copy \(url.path) can't be made, so that the store was not changed: \(reason) `backup:` chooses another "
          + "folder, or none.", sqliteCode: (error as? StoreError)?.sqliteCode)
    }
  }
}
