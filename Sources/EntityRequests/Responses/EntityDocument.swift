public import EntityStore

/// Stands for responses that are about no entity in particular: all that they hold is in their parts.
///
/// ```swift
/// let parts: [ResponsePart] = [.list(User.self, at: "users"), .list(Post.self, at: "posts")]
/// let response = try await EntityDocument.get("sync", query: ["since": date], options: .parts(parts))
/// response.ids(of: User.self)
/// try await EntityDocument.upsert(from: data, in: store, options: .parts(parts))
/// ```
///
/// It has the verbs of an entity type, with resources relative to the client's base URL, and no objects: its
/// ``EntityResponse/ids`` are empty, and its ``EntityResponse/counts`` the sum of its parts. So the options `envelope`
/// and `deleteMissing` say nothing about it: key paths of parts are those of the whole body, and each part says whether
/// missing rows are deleted. A body that has none of its parts, not even as null, is an error of kind `envelope`. A
/// pagination takes the longest list for the objects of a page, so that a walk ends when all are empty. It is in no
/// store's list of entities.
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
