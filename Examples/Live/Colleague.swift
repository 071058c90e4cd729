import Adapters
import EntityClient
import Foundation

/// Somebody else who changes todos at the server. Her client has no store: the answers are plain values.
struct Colleague: Sendable {
  private let client: Client

  private struct Answer: Decodable, Sendable { let title: String }

  init(server: URL) throws { client = try Client(adapter: CurlAdapter(), baseURL: server) }

  /// Signs the title of a todo, or takes the signature away.
  func edit(_ uid: Int) async throws -> String {
    let title = try await client.get("todos/\(uid)", as: Answer.self).value.title
    let signature = ", says Grace"
    let other = title.hasSuffix(signature) ? String(title.dropLast(signature.count)) : title + signature
    try await client.sending(.patch, "todos/\(uid)", as: Answer.self)
      .modifying { try $0.setJSON(["title": JSONValue(other)] as JSONValue) }.send()
    return "Grace has changed the title at the server."
  }

  func delete(_ uid: Int) async throws -> String {
    try await client.delete("todos/\(uid)")
    return "Grace has deleted the todo at the server."
  }
}
