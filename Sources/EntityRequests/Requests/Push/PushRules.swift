import EntityJSON

/// The rules by which messages of a server change the store: by the kind of the message, an upsert, a deletion, or a hint
/// to read something again.
///
/// ```swift
/// let rules: PushRules = [
///   .on("created", "updated", do: .upsert(Todo.self)),
///   .on("deleted", do: .delete(Todo.self, at: "id")),
///   .on("changed", do: .refresh { _ in try await Todo.get() }),
/// ]
/// ```
///
/// The first rule for the kind of a message counts. A message without a rule changes nothing, and is handed on.
public struct PushRules: Sendable, ExpressibleByArrayLiteral {
  let rules: [PushRule]
  /// Where the payload has the kind; `nil` where the message itself has it.
  let kindKeyPath: String?

  /// - Parameters:
  ///   - keyPath: Where the payload has the kind, for messages that name none: `"type"`. Then a payload that is no JSON,
  ///     or has no text there, has the kind `message`.
  ///   - rules: The rules in their order.
  public init(kindAt keyPath: String? = nil, _ rules: [PushRule]) {
    self.rules = rules
    kindKeyPath = keyPath
  }

  public init(arrayLiteral rules: PushRule...) { self.init(rules) }

  /// The action for a message; `nil` for a message without a rule.
  ///
  /// - Throws: The error of a rule's closure.
  func action(for message: PushedMessage) throws -> PushAction? {
    for rule in rules where rule.kinds.isEmpty || rule.kinds.contains(message.kind) {
      if let action = try rule.choose(message) { return action }
    }
    return nil
  }

  /// The message with the kind that its payload has.
  func named(_ message: PushedMessage) -> PushedMessage {
    guard let kindKeyPath, message.kind == PushedMessage.defaultKind,
      let kind = (try? message.json())?[kindKeyPath]?.string
    else { return message }
    var named = message
    named.kind = kind
    return named
  }
}

/// An action for messages of some kinds; see ``PushRules``.
public struct PushRule: Sendable {
  let kinds: Set<String>
  let choose: @Sendable (PushedMessage) throws -> PushAction?

  /// An action for messages of some kinds.
  ///
  /// - Parameters:
  ///   - kinds: The kinds; none means all.
  ///   - action: The action.
  public static func on(_ kinds: String..., do action: PushAction) -> PushRule {
    PushRule(kinds: Set(kinds)) { _ in action }
  }

  /// An action that the message itself decides on.
  ///
  /// ```swift
  /// .on("change") { try $0.json()["removed"]?.bool == true ? .delete(Todo.self, at: "id") : .upsert(Todo.self) }
  /// ```
  ///
  /// - Parameters:
  ///   - kinds: The kinds; none means all.
  ///   - choose: Gets the message, on any thread. `nil` leaves the choice to the next rule. With an error, the message is
  ///     refused.
  public static func on(
    _ kinds: String..., choose: @escaping @Sendable (PushedMessage) throws -> PushAction?
  ) -> PushRule {
    PushRule(kinds: Set(kinds), choose: choose)
  }
}

/// The effect of a message on the store; see ``PushRules``.
public struct PushAction: Sendable {
  enum Kind: Sendable {
    case upsert(any RoutedEntity)
    case delete(any RoutedEntity, keyPath: String?)
    case refresh(@Sendable (PushedMessage) async throws -> Void)
    case ignore
  }

  let kind: Kind

  /// The payload has objects, which are upserted as those of a response are.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - options: How the objects are taken in, and their envelope. Without one they are the whole payload: the envelopes
  ///     of entities and of the client are those of responses.
  public static func upsert<E: RemoteEntity>(_ type: E.Type, options: ResponseOptions<E> = []) -> PushAction {
    PushAction(kind: .upsert(PushedEntity(options: options)))
  }

  /// The payload has objects of several entities, all of them in one transaction; see ``EntityDocument``.
  ///
  /// - Parameter parts: Where the payload has which entity.
  public static func upsert(parts: [ResponsePart]) -> PushAction {
    .upsert(EntityDocument.self, options: .parts(parts))
  }

  /// The payload names objects that the server has deleted: by a uid, an object with the uid, or a list of them. Edits
  /// that the server does not have keep their rows, as with a response.
  ///
  /// - Parameters:
  ///   - type: The entity.
  ///   - keyPath: Where the payload has the uids; `nil` means the whole payload.
  public static func delete<E: RemoteEntity>(_ type: E.Type, at keyPath: String? = nil) -> PushAction {
    PushAction(kind: .delete(PushedEntity<E>(options: []), keyPath: keyPath))
  }

  /// The payload says that something has changed, and a request reads it.
  ///
  /// - Parameter refresh: Reads what has changed. The next message waits for its end. The requests in it count as newer
  ///   than the message.
  public static func refresh(_ refresh: @escaping @Sendable (PushedMessage) async throws -> Void) -> PushAction {
    PushAction(kind: .refresh(refresh))
  }

  /// The message changes nothing.
  public static let ignore = PushAction(kind: .ignore)
}

private struct PushedEntity<Entity: RemoteEntity>: RoutedEntity {
  let options: ResponseOptions<Entity>
}
