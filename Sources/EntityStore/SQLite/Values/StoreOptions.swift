import Foundation

/// How a store uses its file.
///
/// ```swift
/// var options = StoreOptions()
/// options.durability = .full
/// let store = try EntityStore(.file(url), entities: [User.self], options: options)
/// ```
public struct StoreOptions: Sendable {
  /// Whether a store may write its file.
  public enum Access: Sendable, Hashable {
    /// A missing file is made. The file is brought to the declared schema, and written.
    case readWrite
    /// The file must exist, with the whole schema, and is not changed. Saves throw ``StoreError`` of kind `readOnly`.
    /// The store follows commits of other processes.
    ///
    /// SQLite makes the files `-wal` and `-shm` beside the file, where they are missing, and leaves them there.
    case readOnly
  }

  /// How long a commit waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous).
  public enum Durability: Sendable, Hashable {
    /// A commit waits for the system, and not for the disk. If the process ends, no commit is lost. A power cut may
    /// lose the last commits, and loses each of them whole: the file is in an earlier state, and never broken.
    case normal
    /// A commit waits until it is on the disk: a power cut loses no acknowledged commit. Each commit takes some
    /// milliseconds more.
    case full
  }

  /// When a locked device lets an app read a file: the classes of `FileProtectionType`
  /// (https://developer.apple.com/documentation/foundation/fileprotectiontype).
  public enum Protection: Sendable, Hashable {
    /// Only while the device is unlocked. Work in the background fails while it is locked.
    case complete
    /// A file that was opened while the device was unlocked stays readable.
    case completeUnlessOpen
    /// The file is readable after the device was first unlocked since it started.
    case completeUntilFirstUserAuthentication
    /// The file is always readable. In `FileProtectionType` this is `none`, a name that an Optional already has.
    case unprotected
  }

  public var access = Access.readWrite
  /// How long a commit waits for the disk. It applies to the commits of this store, and not to those of other
  /// processes.
  public var durability = Durability.normal
  /// The permissions of a new file, such as `0o600`: only its owner may read and write it. `nil` leaves them to the
  /// system. The files beside it get the same permissions. An existing file keeps its own.
  public var permissions: Int?
  /// The protection class of the file and of the files beside it, set each time that the file is opened for writing.
  /// `nil` leaves it to the system. iOS, tvOS, watchOS and visionOS have classes. Elsewhere it has no effect.
  public var protection: Protection?

  /// Hears of slow statements, waits and more; `nil` for no log. A store without a log measures nothing.
  public var log: StoreLog?
  /// Whether the file keeps a history of its commits, for ``EntityStore/EntityStore/history``. The file keeps the
  /// policy, and all processes that write the file follow it. `nil` leaves the policy as it is; in a new file, that is
  /// `off`. `off` drops the history.
  public var history: StoreOptions.History?
  /// The author of this store's commits in the history, where ``EntityContext/author`` names no other. It is the name
  /// of the process, unless you choose another one.
  public var author = ProcessInfo.processInfo.processName

  /// The most objects of a response that go to SQLite together; 0 writes each row by itself.
  package var rowsInBatch = 256

  /// A store that reads and writes, with the durability `normal`.
  public init() {}
}
