import EntityClient
import EntityTesting
import Foundation
import Testing

/// The error for a response that can't be taken: which object, which property, and why.
@Suite(.client(entities: [Badge.self, HandSeat.self, Scrap.self])) struct RefusalTests {
  @Test(arguments: [
    (
      #""small": 300"#,
      "an integer of 8 bits was expected, and there is a number out of range: it goes from -128 to 127"
    ),
    (#""small": 1.5"#, "an integer of 8 bits was expected, and there is a number with a fraction"),
    (#""small": "300""#, "a string with a number out of range: it goes from -128 to 127"),
    (#""small": "x""#, "an integer of 8 bits was expected, and there is a string"),
    (#""small": true"#, "an integer of 8 bits was expected, and there is a boolean"),
    (
      #""big": -1"#,
      "of 64 bits, not negative was expected, and there is a number out of range: it goes from 0 to 18446744073709551615"
    ),
    (#""big": 18446744073709551616"#, "it goes from 0 to 18446744073709551615"),
    (#""id": 9223372036854775808"#, "it goes from -9223372036854775808 to 9223372036854775807"),
    (#""float": 1e300"#, "a number was expected, and there is a number out of range: it goes to ±3.4028235e+38"),
    (
      #""double": 1e400"#,
      "a number was expected, and there is a number out of range: it goes to ±1.7976931348623157e+308"
    ),
    (
      #""decimal": 1e200"#,
      "a number of at most 38 digits was expected, and there is a number of more, or out of its range"
    ),
    (#""flag": 5"#, "true or false was expected, and there is a number other than 0 and 1"),
  ]) func `the error of a number out of range names the range`(_ field: String, _ words: String) async throws {
    let error = try await requestError { try await Badge.upsert(from: Data("{\"id\": 1, \(field)}".utf8)) }
    #expect(error.description.contains(words), "\(error)")
    #expect(!error.description.contains("300"))
  }

  @Test func `an id out of range is reported with the range`() async throws {
    let error = try await requestError { try await Badge.upsert(from: ["id": 1, "next": 1e300]) }
    #expect(error.description.contains("there is a number out of range: it goes from -9223372036854775808"), "\(error)")
  }

  @Test func `a unique value of another object is reported with its property and place`() async throws {
    func check(_ error: RequestError, _ words: String) {
      #expect(error.description.contains(words), "\(error)")
      #expect((error.underlying as? StoreError)?.kind == .uniqueViolation)
      #expect(!error.description.contains("INSERT"))
      #expect(!error.description.contains("hunter2"))
    }
    let list: JSONValue = [["id": 1, "code": "hunter2"], ["id": 2], ["id": 3, "code": "hunter2"]]
    let words = "is unique, and another object has that value already"
    check(
      try await requestError { try await Badge.upsert(from: list) },
      "Object 2 of the response can't be written: 'Badge.code' \(words)")
    check(
      try await requestError { try await HandSeat.upsert(from: list) },
      "Object 2 of the response can't be written: 'HandSeat.code' \(words)")
    check(
      try await requestError {
        try await EntityDocument.upsert(from: ["badges": list], options: .parts([.list(Badge.self, at: "badges")]))
      }, "Object 2 of 'badges' can't be written: 'Badge.code' \(words)")
    try await Badge.upsert(from: ["id": 1])
    let store = try Client.current.store
    try await store.background { try #require(try $0.fetch(Badge.self, uid: 1)).code = "hunter2" }
    check(
      try await requestError { try await Badge.upsert(from: ["id": 2, "code": "hunter2"]) },
      "The response can't be written: 'Badge.code' \(words)")
  }

  @Test func `an entity without uid is no response by itself`() async throws {
    let stub = try StubAdapter.current
    let words = "an entity without uid is no response by itself: each response would make its objects anew"
    for body in [[["text": "a"]], ["text": "a"], []] as [JSONValue] {
      stub.on(.get, "/scraps", .json(body))
      let errors = [
        try await requestError { try await Scrap.get() }, try await requestError { try await Scrap.upsert(from: body) },
        try await requestError { try await Scrap.pages(by: .link).all() },
      ]
      for error in errors {
        #expect(error.kind == .upsert, "\(error)")
        #expect(error.description.contains(words), "\(error)")
      }
    }
    #expect(try await Client.current.store.read { try $0.count(Scrap.all) } == 0)
    // The answer to a write is one new object.
    stub.on(.post, "/scraps", .json(["text": "a"]))
    #expect(try await Scrap.post().counts.inserted == 1)
  }
}

@Entity final class Badge: RemoteEntity {
  @UID @Key("id") var uid: Int
  @Unique var code: String?
  var small: Int8?
  var big: UInt64?
  var float: Float?
  var double: Double?
  var decimal: Decimal?
  var flag: Bool?
  var next: Badge?

  static var basePath: String { "badges" }
}
