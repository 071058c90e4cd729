public import EntityJSON

/// Finds the elements of a list of changes that name a deleted object, in another form than ``RemoteEntity/deletionKey``
/// reads.
///
/// ```swift
/// // OData: {"@removed": {"reason": "deleted"}, "@id": "People('ada')"}
/// static var deletedElements: DeletedElements? {
///   DeletedElements { element in
///     guard let removed = element["@removed"] else { return nil }
///     let object: DeletedElements.Object = element["@id"]?.string.map { .url($0) } ?? .itself
///     return removed["reason"]?.string == "changed" ? .left(object) : object
///   }
/// }
/// // A history of FHIR: {"request": {"method": "DELETE", "url": "Patient/7"}}, without the resource
/// static var deletedElements: DeletedElements? {
///   DeletedElements { element in
///     guard element["request.method"]?.string == "DELETE" else { return nil }
///     return element["request.url"]?.string.map { .url($0) }
///   }
/// }
/// ```
///
/// The rows are deleted as those of objects that say it by ``RemoteEntity/deletionKey``. The closure is asked for each
/// element of a response's own list and of its parts, before anything else of the element is read. Where the key path of
/// the list leads through the elements, as `entry[].resource` does, it gets the object there, and for an element without
/// that object the element itself. Objects that are nested in others are not asked.
public struct DeletedElements: Sendable {
  /// The object that an element names as deleted, or as gone from the list.
  public indirect enum Object: Sendable {
    /// The object of the element: its uid stands there, as in any object.
    case itself
    /// The object with a uid.
    case uid(JSONValue)
    /// The object at its own URL, or at that of one of its versions. The URL is absolute, or relative to the client's base
    /// URL or to the URL of the response. Any other URL is an error.
    case url(String)
    /// An object that left the result, and lives on: it is no member of the ``StoredCollection`` any more, and its row stays.
    /// OData has such elements (`"reason": "changed"`).
    case left(Object)
    /// None: the element is passed over, as the links in a delta of OData are.
    case nobody
  }

  let object: @Sendable (JSONObject) -> Object?

  /// - Parameter object: Returns the deleted object; `nil` for an element that is read as any other. It is called on any
  ///   thread.
  public init(_ object: @escaping @Sendable (JSONObject) -> Object?) { self.object = object }
}

extension ResponseOptions {
  /// The lists of the response have the newest version of an object first, as a `_history` of FHIR has: each list is read
  /// from its end, so that the newest version counts, and a deletion is not undone by the versions before it.
  ///
  /// ```swift
  /// try await Patient.get("_history", query: ["_since": time, "_count": 1000], options: .newestFirst)
  /// ```
  ///
  /// ``EntityResponse/ids`` has the objects in that order. In a walk over pages an object that a page had is passed over on all
  /// later pages, which have older versions of it. A streamed response can't be read so.
  public static var newestFirst: Self { Self { $0.upsert.isNewestFirst = true } }
}
