import EntityJSON

/// The way in which a long list is taken into the store while it arrives.
///
/// ```swift
/// let export = try await User.get("export", streaming: .groups(), options: .envelope("data"))
/// print(export.counts)
/// ```
///
/// Memory holds a group of objects, whatever the length of the body. The writer is busy with one group at a time, and
/// free while the client waits for the server; the server waits while a group is written. Adapters that have no
/// ``RequestAdapter/stream(_:body:progress:)`` of their own, recordings among them, give the body as a whole: the
/// groups are the same, but memory holds the whole body. The same is true for a body of a ``ResponseFormat``, and for
/// statuses other than 200.
public struct Streaming: Sendable {
  /// The most objects of a group; `nil` when the response is one unit.
  let groupSize: Int?
  let committed: (@Sendable (StreamedProgress) -> Void)?

  /// Commits group by group. Committed groups stay, even if the response breaks off. Then ``RequestError/committed``
  /// says how much was committed.
  ///
  /// Each group is a unit by itself, as a response of its own: an object of one group does not wait for the objects of
  /// the next. If objects of two groups have the same unique value, the later object gets it when the property is
  /// optional. When it is not optional, the value is an error, even if a later group gives the earlier object another
  /// value. If one group says that an object is deleted and the next one has it again, the object is made anew. An
  /// object can't require an object that only a part of the response has. ``atomically`` has none of these limits.
  ///
  /// - Parameters:
  ///   - count: The most objects of a group; less than 1 means 1. A group with more than a megabyte of text ends
  ///     earlier.
  ///   - committed: Called after each commit with the part that is in the store, in the task of the request. A
  ///     cancelled task throws `CancellationError`, which does not say how much was committed; this closure has said it
  ///     before.
  public static func groups(
    of count: Int = 4_096, committed: (@Sendable (StreamedProgress) -> Void)? = nil
  ) -> Streaming {
    Streaming(groupSize: max(1, count), committed: committed)
  }

  /// Commits all or nothing, as a response that is not streamed.
  ///
  /// The body first goes to a file without a name beside the store, or in the folder for temporary files for a store in
  /// memory. The file is gone when the request ends, in whatever way. Then one unit reads the file. Other units wait
  /// for this unit, about three seconds for a million small objects.
  public static var atomically: Streaming { Streaming(groupSize: nil, committed: nil) }
}

/// The part of a streamed response that is in the store.
public struct StreamedProgress: Sendable, Hashable {
  /// The groups that are committed.
  public internal(set) var groups = 0
  /// The number of list elements in these groups, including skipped elements. It is also the position, from 0, of the
  /// first element that is not committed.
  public internal(set) var elements = 0
  /// The counts of their objects. An object that stands in two groups counts twice.
  public internal(set) var counts = EntityCounts()
}

extension StreamedProgress: CustomStringConvertible {
  /// The numbers alone.
  public var description: String {
    "\(elements) \(elements == 1 ? "object" : "objects") in \(groups) \(groups == 1 ? "group" : "groups"): \(counts)"
  }
}

extension Streaming {
  /// The most text of a group, in bytes, without its last piece.
  static let groupBytes = 1 << 20

  /// Checks that the options go with a request that is streamed.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  func check<E: RemoteEntity>(_ options: ResponseOptions<E>, _ method: HTTPMethod) throws {
    func refuse(_ reason: String) -> RequestError { RequestError(.invalidRequest, "\(reason) Nothing was sent.") }
    guard method == .get else { throw refuse("A streamed response is one to GET, and this is \(method.rawValue).") }
    guard E.self != EntityDocument.self else {
      throw refuse("A document has no list of its own, which could be streamed. Name the entity of the list.")
    }
    guard options.cache == nil else {
      throw refuse("A streamed response has no cache policy: the note of an answer names all of its objects.")
    }
    guard !options.upsert.reportsUnreadKeys else {
      throw refuse("`.reportingUnreadKeys` looks at the whole body, which a streamed response does not keep.")
    }
    guard options.upsert.mode != .insertOnly || groupSize == nil else {
      throw refuse(
        "With `.upserting(.insertOnly)` an object that one group nests would be an old one to the next. Stream it with "
          + "`.atomically`.")
    }
    guard !options.upsert.isDryRun || groupSize == nil else {
      throw refuse("A dry run of one group says nothing of the next. Stream it with `.atomically`.")
    }
  }

  /// Checks that no part contains the list.
  ///
  /// - Parameter list: The key path of the list; `nil` when it is the whole body.
  /// - Throws: ``RequestError`` of kind `envelope`.
  static func check(_ parts: [ResponsePart], besides list: String?, _ response: HTTPResponse) throws {
    let part = parts.first { part in
      // A part whose path leads through the array, or into it.
      let way = part.keyPath.prefix { $0 != "[" && $0 != "{" }
      return part.keyPath.isEmpty || (list ?? "").isEmpty && way.isEmpty
        || list.map { $0 == way || $0.hasPrefix(way + ".") } ?? false
    }
    guard let part else { return }
    throw RequestError(
      .envelope,
      "The part '\(part.keyPath.prefix(200).escaped)' has the list in it that is streamed, and can't be read beside it.",
      response: response)
  }
}
