public import EntityStore

/// Stands for responses that are not about one entity: the parts of the response hold all objects.
///
/// ```swift
/// let parts: [ResponsePart] = [.list(User.self, at: "users"), .list(Post.self, at: "posts")]
/// let response = try await EntityDocument.get("sync", query: ["since": date], options: .parts(parts))
/// response.ids(of: User.self)
/// try await EntityDocument.upsert(from: data, in: store, options: .parts(parts))
/// ```
///
/// It has the verbs of an entity type, with resources relative to the client's base URL. It has no objects of its own:
/// its ``EntityResponse/ids`` are empty, and its ``EntityResponse/counts`` the sum of its parts. So the options
/// `envelope` and `deleteMissing` do not apply: the key path of a part begins at the whole body, and each part says
/// whether missing rows are deleted. A body without any of the parts, not even as null, is an error of kind `envelope`.
/// A pagination takes the longest list as the objects of a page, so the pages end when all lists are empty. No store
/// has this type in its list of entities.
public nonisolated final class EntityDocument: RemoteEntity {
  public struct Columns: Sendable {}
  public static let columns: Columns = Columns()
  public static let properties: [PropertyDescriptor] = []
  public static var basePath: String { "" }

  public let _$state: ObjectState
  public init(_ state: ObjectState) { _$state = state }
  public func _$load(_ row: RowReader) {}
  public func _$store(into row: inout RowValues) {}
}
