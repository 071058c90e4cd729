import EntityClient
import HTTPFoundation

// Types that are no entities, for a client without a store.

struct Person: Decodable, Sendable, Equatable {
  var name: String
  var age: Int?
}

/// What a server says about a refusal.
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
