import EntityClient
import Foundation
import Testing

/// Here and not with the tests of JSON, so that it runs under the thread sanitizer.
@Suite struct JSONAcrossTasksTests {
  @Test func `many tasks read one value`() async throws {
    let text = #"{"users": [{"address": {"city": "Łódź"}, "escaped": "a\u0062c"}]}"#
    let value = try JSONObject(parsing: Data(text.utf8))
    let read = await withTaskGroup(of: [String?].self) { group in
      for _ in 0..<8 {
        group.addTask {
          let user = value["users"]?.array?.first
          return [user?["address.city"]?.string, user?["escaped"]?.string]
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(read == Array(repeating: ["Łódź", "abc"], count: 8))
  }
}
