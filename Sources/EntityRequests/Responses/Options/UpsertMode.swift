import EntityStore

/// The treatment of the objects of a response: of those that the store has, and of those that it does not have.
///
/// It is about the response's own objects and those of its parts; objects nested in them are upserted in each mode.
/// The answer to a request on an object, as a POST of a new one, is taken in whether the store has the object or not. An
/// object of which the store knows only the uid, a placeholder, is one that it does not have.
public enum UpsertMode: Sendable, Hashable {
  /// Inserts objects that are new, and updates the others: the default.
  case insertOrUpdate
  /// Inserts objects that are new. Those that the store has stay as they are, with all that is nested in them, and count as
  /// unchanged.
  case insertOnly
  /// Updates the objects that the store has. ``EntityResponse/skipped`` names the others, with the reason `unknown`.
  case updateOnly
  /// As `insertOrUpdate`; a property that the response lacks gets its default, or `nil`.
  ///
  /// The mode is for a server that leaves out properties that are null. Some properties stay although the response lacks
  /// them:
  /// - to-many relationships;
  /// - the counterpart of a one-to-one relationship, which only `null` clears;
  /// - required to-one relationships, local edits, and values of newer answers.
  ///
  /// An entity that updates by hand refuses the mode: the verb throws ``RequestError`` of kind `invalidRequest`, and sends
  /// nothing.
  case replace
}

/// The treatment of objects in a response that have no uid, though their entity has one.
public enum UnnamedObjects: Sendable, Hashable {
  /// The response fails, or the object is skipped where that was asked for: the default.
  case refuse
  /// Each is inserted as a new object without uid, by each response anew.
  ///
  /// A response with such objects can't say which objects are missing: with `.deleteMissing(in:)` the verb throws
  /// ``RequestError`` of kind `invalidRequest`, and sends nothing.
  case insert
  /// Those in the list of another object are members of it by their place among each other, as objects of an entity
  /// without uid are: a second response updates the same rows, and rows that are left over are deleted.
  ///
  /// An object with a uid is known by that, as ever. Objects that stand in no list of another one are refused. While one of
  /// the members without uid has local edits, all of them stay as they are: ``EntityResponse/skipped`` tells it.
  case embed
}

extension ResponseOptions {
  /// Whether the response inserts, updates or replaces; see ``UpsertMode``.
  ///
  /// ```swift
  /// try await User.get(options: .upserting(.updateOnly))
  /// ```
  ///
  /// - Parameter mode: The mode; by default `insertOrUpdate`.
  public static func upserting(_ mode: UpsertMode) -> Self { Self { $0.upsert.givenMode = mode } }

  /// The treatment of objects without uid.
  ///
  /// - Parameter objects: The treatment; by default such objects are refused.
  public static func withoutUID(_ objects: UnnamedObjects) -> Self { Self { $0.upsert.givenUnnamed = objects } }

  /// Checks that the options go with each other and with a request.
  ///
  /// - Parameter method: The method of the request; `nil` for a response that another client delivered.
  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  func check(_ method: HTTPMethod?) throws {
    if let method {
      try upsert.check(method)
      try streaming?.check(self, method)
    }
    if upsert.unnamed == .insert, deletesMissing {
      throw RequestError(
        .invalidRequest,
        "`.withoutUID(.insert)` and `.deleteMissing` exclude each other: an object without uid may be any of those that "
          + "seem to be missing.")
    }
    guard upsert.mode == .replace else { return }
    let types = [Entity.self as any ManagedEntity.Type] + parts.flatMap(\.types)
    guard let type = types.first(where: { ($0 as? any RemoteEntity.Type)?.updatesByHand == true }) else { return }
    throw RequestError(
      .invalidRequest,
      "'\(type.entityName)' updates by hand, so it is not known which properties a response lacks: `.replace` is for "
        + "declared mappings.")
  }
}
