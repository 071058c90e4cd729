import EntityClient
import Foundation
import Testing

/// A reel of the service of reels. Its files go there in several ways.
@Entity final class Reel: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  /// The names of the files that the service has.
  var poster: String?
  var still: String?

  static var basePath: String { "reels" }
  static var outbox: OutboxRules<Reel> {
    [
      .rest, .attachment("film", .tus("/files", pieceSize: 100_000, fields: { ["reel": "\($0.uid)"] })),
      .attachment("poster", .put("poster")),
      .attachment("still", .form("stills", field: "picture", fields: { ["caption": $0.title] })),
    ]
  }
}

/// An object whose file goes to Google's cloud storage, in pieces with `Content-Range`.
@Entity final class Negative: OutboxEntity {
  @UID @Key("id") var uid: Int

  static var basePath: String { "negatives" }
  static var outbox: OutboxRules<Negative> {
    let path = "/upload/storage/v1/b/\(StorageService.bucket)/o?uploadType=resumable"
    // Google wants multiples of 256 KiB. The answers are about the file, and not about the object.
    return [
      .rest,
      .attachment(
        "scan", .contentRange(path, pieceSize: 1 << 18, fields: { ["name": "scan-\($0.uid)"] }).ignoringAnswer),
    ]
  }
}

enum TusService {
  static let url = WebService.variable("ENTITYCLIENT_TUS")

  /// A complete file, as the server has it.
  static func uploaded(_ name: String) throws -> Data {
    let folder = try #require(WebService.variable("ENTITYCLIENT_TUS_FOLDER"))
    return try Data(contentsOf: URL(filePath: folder).appending(path: name))
  }
}

enum StorageService {
  static let url = WebService.variable("ENTITYCLIENT_STORAGE")
  static let bucket = "films"

  /// A complete file, as the server has it.
  static func uploaded(_ name: String, by client: Client) async throws -> Data {
    let path = "download/storage/v1/b/\(bucket)/o/\(name)"
    return try await client.send(client.request(.get, path, query: ["alt": "media"])).body
  }
}

/// An app on a device, with a file of the device to upload.
struct UploadScene {
  let device: OutboxDevice
  let file: URL
  let data: Data

  /// - Parameters:
  ///   - url: The service.
  ///   - size: The size of the file.
  init(_ entities: [any ManagedEntity.Type], at url: String?, size: Int) throws {
    let base = url ?? ""
    device = try OutboxDevice(entities) { try Client(adapter: $0, store: $1, baseURL: base) }
    file = URL.temporaryDirectory.appending(path: UUID().uuidString)
    // No piece of a round size is like another one: the length of the block is a prime number.
    let block = Data((0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) })
    var data = Data(capacity: size + block.count)
    while data.count < size { data.append(block) }
    self.data = data.prefix(size)
    try self.data.write(to: file)
  }

  func remove() {
    device.remove()
    try? FileManager.default.removeItem(at: file)
    try? FileManager.default.removeItem(atPath: device.file.path + "-attachments")
  }

  /// A reel that was made here, and that the service does not have yet.
  func reel(_ title: String = "Oslo") async throws -> EntityID<Reel> {
    try await device.edit { context in try context.make(Reel.self) { $0.title = title }.entityID }
  }

  /// A negative that the server has.
  func negative(_ uid: Int) async throws -> EntityID<Negative> {
    let body: JSONValue = [["id": JSONValue(uid)]]
    let ids = try await Negative.upsert(from: body.rawBytes, in: device.store).ids
    return try #require(ids.first)
  }
}
