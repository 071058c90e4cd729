import EntityJSON
import EntityStore
import Foundation

/// The upsert that the running `update(with:)` belongs to: `response.upsert(Address.self, from: "address")` names no
/// context, and needs one.
enum CurrentUpsert {
  @TaskLocal static var token: Token?

  /// Runs `body` with `mapper` as the current upsert of this thread.
  static func with<T>(_ mapper: Mapper<ObjectTarget>, _ body: () throws -> T) rethrows -> T {
    let token = Token(mapper)
    mapper.target.token = token
    defer { token.end() }
    return try $token.withValue(token, operation: body)
  }

  /// `nil` outside an update, and on any thread but its own.
  static var current: Mapper<ObjectTarget>? { token?.mapper }

  /// A reference to a mapper that can be carried anywhere, and used only on its own thread while its upsert runs.
  ///
  /// `@unchecked Sendable`: other threads may get the token. A task that was made in an update inherits it, and a
  /// `ResponseObject` keeps it. Each access compares the thread first, and the thread is a constant, so no other thread
  /// reads `current` and `target`. `with` is synchronous: the thread that made the token also clears both, in `end`,
  /// before it ends itself. Only then may the system give its id to another thread. Such a thread reads `nil`, because
  /// the end of a thread comes before the start of a thread with its id.
  final class Token: @unchecked Sendable {
    private let thread = pthread_self()
    private var current: Mapper<ObjectTarget>?
    /// Whether the keys that are read are noted.
    let notesKeys: Bool
    /// The target of `current`, which keeps it. Each read of a key needs the target, and counting a reference would
    /// take longer than the read.
    private var target: Unmanaged<ObjectTarget>?

    fileprivate init(_ mapper: Mapper<ObjectTarget>) {
      current = mapper
      notesKeys = mapper.session.read != nil
      target = Unmanaged.passUnretained(mapper.target)
    }

    var mapper: Mapper<ObjectTarget>? { pthread_equal(thread, pthread_self()) != 0 ? current : nil }

    /// Notes that an update by hand read a key.
    ///
    /// - Parameter isAssigned: Whether the update calls the setter of a property next.
    /// - Returns: Whether the entity has rules; `nil` when the upsert is over, and on any thread but its own.
    fileprivate func noteRead(isAbsent: Bool, isAssigned: Bool) -> Bool? {
      guard pthread_equal(thread, pthread_self()) != 0, let target else { return nil }
      // `with` holds the mapper until the token has ended, and a mapper never changes its target.
      return target._withUnsafeGuaranteedRef { $0.noteRead(isAbsent: isAbsent, isAssigned: isAssigned) }
    }

    /// The place of the value under a key path of an object that an update by hand reads. The outer optional is `nil`
    /// when the upsert is over, and on any thread but its own.
    fileprivate func place(for keyPath: String, in fields: JSONObject) -> Int?? {
      guard pthread_equal(thread, pthread_self()) != 0, let target else { return nil }
      // As in `noteRead`.
      return .some(target._withUnsafeGuaranteedRef { $0.cursor.place(for: keyPath, in: fields) })
    }

    fileprivate func end() {
      current = nil
      target = nil
    }
  }
}

extension ResponseObject {
  /// The mapper of the running update. The response object of an update finds it without a look at task-local values.
  var mapper: Mapper<ObjectTarget>? { upsert?.mapper ?? CurrentUpsert.current }

  /// The place of the value under a key path.
  func place(for keyPath: String) -> Int? {
    upsert?.place(for: keyPath, in: fields) ?? fields.place(for: keyPath)
  }

  /// - Throws: ``MappingError`` outside an update.
  func mapper(_ key: String) throws -> Mapper<ObjectTarget> {
    if let mapper { return mapper }
    throw MappingError(
      "ResponseObject", "", key,
      "`upsert(_:from:)` belongs in `update(with:)`, which runs in a context; elsewhere use `context.upsert`")
  }

  /// Notes that an update by hand read a key; `nil` for an absent key.
  func noteRead(_ value: JSONValue?) { _ = noteRead(isAbsent: value == nil, isAssigned: false) }

  /// Notes a value as read, for the report of keys that nothing reads.
  ///
  /// - Parameter isWhole: Whether all that is in the value counts as read.
  func noteUse(_ value: @autoclosure () -> JSONValue?, isWhole: Bool = true) {
    guard let upsert, upsert.notesKeys, let value = value() else { return }
    upsert.mapper?.session.read?.read(value, isWhole: isWhole)
  }

  /// - Parameter isAssigned: Whether the update calls the setter of a property next.
  /// - Returns: Whether the entity that is updated has rules.
  func noteRead(isAbsent: Bool, isAssigned: Bool) -> Bool {
    upsert?.noteRead(isAbsent: isAbsent, isAssigned: isAssigned)
      ?? CurrentUpsert.token?.noteRead(isAbsent: isAbsent, isAssigned: isAssigned) ?? false
  }
}
