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
  /// `@unchecked Sendable`: other threads may get the token, by a task that was made in an update and inherits it, or by a
  /// `ResponseObject`, which keeps it. The thread is compared first, and is a constant; no other thread goes on to
  /// `current` and `target`. `with` is synchronous, so the thread that made the token also writes both, in `end`, before it
  /// ends itself. The system gives its id to another thread only after that: such a thread reads `nil`, in the order that the
  /// end of one thread and the start of the next have.
  final class Token: @unchecked Sendable {
    private let thread = pthread_self()
    private var current: Mapper<ObjectTarget>?
    /// Whether the keys are noted that are read.
    let notesKeys: Bool
    /// The target of `current`, which keeps it. Each read of a key asks it, and counting a reference takes longer than that.
    private var target: Unmanaged<ObjectTarget>?

    fileprivate init(_ mapper: Mapper<ObjectTarget>) {
      current = mapper
      notesKeys = mapper.session.read != nil
      target = Unmanaged.passUnretained(mapper.target)
    }

    var mapper: Mapper<ObjectTarget>? { pthread_equal(thread, pthread_self()) != 0 ? current : nil }

    /// An update by hand read a key.
    ///
    /// - Parameter isAssigned: Whether it calls the setter of a property next.
    /// - Returns: Whether the entity has rules; `nil` where the upsert is over, and on any thread but its own.
    fileprivate func noteRead(isAbsent: Bool, isAssigned: Bool) -> Bool? {
      guard pthread_equal(thread, pthread_self()) != 0, let target else { return nil }
      // `with` has the mapper in its hands until the token has ended, and a mapper has one target all its life.
      return target._withUnsafeGuaranteedRef { $0.noteRead(isAbsent: isAbsent, isAssigned: isAssigned) }
    }

    /// The place of the value under a key path of an object that an update by hand reads; `nil` in `nil` where the upsert is
    /// over, and on any thread but its own.
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
  /// The mapper of the update that runs. The response of an update knows it without a look at the task's own values.
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

  /// An update by hand read a key; `nil` for an absent one.
  func noteRead(_ value: JSONValue?) { _ = noteRead(isAbsent: value == nil, isAssigned: false) }

  /// As ``noteRead(_:)``, for the report of keys that nothing reads.
  ///
  /// - Parameter isWhole: Whether all that is in the value counts as read.
  func noteUse(_ value: @autoclosure () -> JSONValue?, isWhole: Bool = true) {
    guard let upsert, upsert.notesKeys, let value = value() else { return }
    upsert.mapper?.session.read?.read(value, isWhole: isWhole)
  }

  /// - Parameter isAssigned: Whether it calls the setter of a property next.
  /// - Returns: Whether the entity that is updated has rules.
  func noteRead(isAbsent: Bool, isAssigned: Bool) -> Bool {
    upsert?.noteRead(isAbsent: isAbsent, isAssigned: isAssigned)
      ?? CurrentUpsert.token?.noteRead(isAbsent: isAbsent, isAssigned: isAssigned) ?? false
  }
}
