import EntityStore

/// How the objects of a response are treated, depending on whether the store has them.
///
/// The mode applies to the response's own objects and the objects of its parts. Objects nested in these are upserted in
/// each mode. The answer to a request on an object, such as a POST of a new one, is taken in whether the store has the
/// object or not. A placeholder, of which the store knows only the uid, counts as an object that the store does not
/// have.
public enum UpsertMode: Sendable, Hashable {
  /// Inserts objects that are new, and updates the others: the default.
  case insertOrUpdate
  /// Inserts objects that are new. Objects that the store has stay as they are, with all objects nested in them, and
  /// count as unchanged.
  case insertOnly
  /// Updates the objects that the store has. ``EntityResponse/skipped`` names the others, with the reason `unknown`.
  case updateOnly
  /// As `insertOrUpdate`, but a property that the response lacks gets its default, or `nil`.
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
  /// The response fails, or skips the object with ``ResponseOptions/skipping``: the default.
  case refuse
  /// Each object is inserted as a new object without uid. Each response inserts it again.
  ///
  /// A response with such objects can't say which objects are missing: with `.deleteMissing(in:)` the verb throws
  /// ``RequestError`` of kind `invalidRequest`, and sends nothing.
  case insert
  /// In the list of another object, such objects are members by their position among each other, as objects of an
  /// entity without uid are. A second response updates the same rows, and deletes rows that are left over.
  ///
  /// An object with a uid is still known by its uid. An object that stands in no list of another object is refused.
  /// While one of the members without uid has local edits, all of these members stay as they are, and
  /// ``EntityResponse/skipped`` says so.
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
    if upsert.isNewestFirst, streaming != nil {
      throw RequestError(
        .invalidRequest, "`.newestFirst` reads a list from its end, and a streamed list is taken in as it comes.")
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
