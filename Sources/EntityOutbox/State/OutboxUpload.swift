public import EntityStore

/// A file that is uploaded, or waits for that; see ``LiveOutbox/uploads``.
public struct OutboxUpload: Sendable, Identifiable, Hashable {
  /// The number of the entry, which no other entry of the file ever has.
  public let id: Int64
  public let object: AnyEntityID
  /// The name of the attachment among the rules of the entity.
  public let name: String
  /// The name of the file.
  public let filename: String
  public let contentType: String
  /// The number of bytes of the file that the server has, or that are on their way.
  public internal(set) var bytesSent: Int64
  /// The number of bytes of the file.
  public let size: Int64
  /// Whether a request of the upload is under way.
  public internal(set) var isSending = false

  /// The part of the file that was sent, from 0 to 1.
  public var fraction: Double { size > 0 ? Double(bytesSent) / Double(size) : 1 }

  /// - Returns: `nil` for an entry that is no attachment.
  package init?(_ entry: OutboxEntry, _ schema: SchemaModel) {
    guard let file = AttachedFile(entry) else { return nil }
    id = entry.number
    object = schema.entities[entry.key.entity].id(entry.key.pk)
    name = entry.name ?? ""
    (filename, contentType, size) = (file.filename, file.contentType, file.size)
    bytesSent = file.offset ?? min(file.furthest, file.size)
  }
}
