import EntityClient
import Foundation

extension Attachment: TrackerItem {
  static var basePath: String { "file" }
  static var fields: String { "name,type" }
}

extension Attachment {
  /// Uploads a file, which is read while it is sent, and gives this object its id.
  nonisolated(nonsending) func upload(_ file: URL, progress: RequestProgressHandler? = nil) async throws {
    try await post(
      modify: {
        try $0.setMultipart(
          ["name": name, "type": contentType], [.file("content", file, contentType: contentType)])
      }, progress: progress)
  }

  /// The file's content, which is no JSON and goes into no row: the entity's request, sent by the client.
  nonisolated(nonsending) func content() async throws -> Data {
    var request = try request(.get, "\(uid)/binary_content")
    try request.setHeaders(["Accept": "*/*"])
    return try await Client.current.send(request).body
  }
}
