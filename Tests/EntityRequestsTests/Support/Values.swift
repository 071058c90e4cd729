import EntityClient
import EntityTesting
import HTTPFoundation

// Clients of tests, and types that are no entities.

struct Person: Decodable, Sendable, Equatable {
  var name: String
  var age: Int?
}

/// The words of a server about a refusal.
struct Problem: Decodable, Sendable, Equatable {
  var code: Int
  var message: String

  static let body: JSONValue = ["error": ["code": 7, "message": "The session of ada has ended."]]
  static let expected = Problem(code: 7, message: "The session of ada has ended.")
}

struct Paging: Decodable, Sendable, Equatable {
  var total: Int
  var nextPage: Int?
}

extension Client {
  init(_ stub: StubAdapter, _ store: EntityStore) throws {
    try self.init(adapter: stub, store: store, baseURL: "https://api.example.com/")
  }

  /// One call with a type for each method.
  func send(_ method: HTTPMethod, body: JSONValue? = nil) async throws -> ValueResponse<Person?> {
    let modify: @Sendable (inout URLRequest) throws -> Void = { request in if let body { try request.setJSON(body) } }
    return switch method {
    case .get: try await get("model/42", as: Person?.self, modify: modify)
    case .post: try await post("model/42", as: Person?.self, modify: modify)
    default: try await sending(method, "model/42", as: Person?.self).modifying(modify).send()
    }
  }

  static let methods: [HTTPMethod] =
    [.get, .post, .put, .patch, .delete] + ["REPORT", "lower"].compactMap(HTTPMethod.init)
}
