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
    /// The file is made where it is not there, brought to the declared schema, and written.
    case readWrite
    /// The file must be there, with all that the schema has, and is not changed. Saves throw ``StoreError`` of kind
    /// `readOnly`. Commits of other processes are followed.
    ///
    /// SQLite makes the files `-wal` and `-shm` beside it, where they are not there, and leaves them.
    case readOnly
  }

  /// How long a commit waits for the disk (https://sqlite.org/pragma.html#pragma_synchronous).
  public enum Durability: Sendable, Hashable {
    /// A commit waits for the system, and not for the disk. The end of the process takes nothing. A power cut may take the
    /// last commits, and takes each of them whole: the file is that of an earlier moment, never a broken one.
    case normal
    /// A commit waits until it is on the disk: a power cut takes none that was acknowledged. Each commit takes milliseconds
    /// more.
    case full
  }

  /// When the system of a device that is locked lets an app read a file: the classes of `FileProtectionType`
  /// (https://developer.apple.com/documentation/foundation/fileprotectiontype).
  public enum Protection: Sendable, Hashable {
    /// Only while the device is unlocked. Work in the background fails while it is locked.
    case complete
    /// A file that was opened while the device was unlocked stays readable.
    case completeUnlessOpen
    /// From the first time on that the device is unlocked after it was started.
    case completeUntilFirstUserAuthentication
    /// Always. In `FileProtectionType` it is `none`, which an Optional has for itself.
    case unprotected
  }

  public var access = Access.readWrite
  /// How long a commit waits for the disk. It holds for the commits of this store, and not for those of other processes.
  public var durability = Durability.normal
  /// The permissions of a new file, such as `0o600`: its owner alone may read and write it. `nil` leaves them to the system.
  /// The files beside it take them over. A file that is there keeps its own.
  public var permissions: Int?
  /// The protection class of the file and of those beside it, set each time that the file is opened to be written. `nil` leaves
  /// it to the system. iOS, tvOS, watchOS and visionOS have classes; elsewhere it has no effect.
  public var protection: Protection?

  /// Hears of slow statements, waits and more; `nil` for nobody. A store without one measures nothing.
  public var log: StoreLog?
  /// Whether the file keeps a history of its commits, for ``EntityStore/EntityStore/history``. The file keeps the policy, and all
  /// processes that write it heed it; `nil` leaves it as it is, which is `off` in a new file. `off` drops the history.
  public var history: HistoryPolicy?
  /// Whose commits those of this store are in the history, where ``EntityContext/author`` says nothing else: the name of the
  /// process, unless you choose another one.
  public var author = ProcessInfo.processInfo.processName

  /// How many objects of a response go to SQLite together, at most; 0 writes each row by itself.
  package var rowsInBatch = 256

  /// A store that reads and writes, with the durability `normal`.
  public init() {}
}
