import EntityClient
import EntityTesting
import Foundation
import Synchronization
import Testing

/// As Slack and many older services answer: 200, and `ok` says what it means.
@Entity final class Reminder: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?

  static var basePath: String { "memos" }
  static var envelope: Envelope? { Envelope(list: "memos", item: "memo") }
}

private struct SlackError: Decodable, Sendable { let error: String }

@Suite(.client(entities: [Reminder.self])) struct VerdictTests {
  /// The client of the test, with a verdict.
  private func within<R: Sendable>(
    _ verdict: ResponseVerdict? = .flag("ok"), _ body: (StubAdapter, EntityStore) async throws -> R
  ) async throws -> R {
    let (stub, store) = try (StubAdapter.current, Client.current.store)
    let client = try Client(
      adapter: stub, store: store, baseURL: "https://api.example.com/", errorModel: ErrorModel(SlackError.self),
      verdict: verdict)
    _ = try await Reminder.upsert(from: ["memo": ["id": 1, "text": "old"]], in: store)
    return try await Client.withClient(client) { try await body(stub, store) }
  }

  private func texts(_ store: EntityStore) async throws -> [String] {
    try await store.read {
      try $0.fetch(Reminder.self).sorted { $0.uid < $1.uid }.map { "\($0.uid) \($0.text ?? "-")" }
    }
  }

  private static let refusal: JSONValue = [
    "ok": false, "error": "not_authed", "memos": [["id": 1, "text": "new"]], "memo": ["id": 1, "text": "new"],
  ]

  private func check(_ error: RequestError) {
    #expect(error.kind == .status)
    #expect(error.status == 200)
    #expect(error.model(as: SlackError.self)?.error == "not_authed")
    #expect(error.serverMessage == "not_authed")
    #expect(!error.description.contains("not_authed"))
    #expect(error.description.contains("'ok' says so in its answer"))
    #expect(!error.wasAccepted)
  }

  @Test func `a success that is a refusal is an error to each verb, and nothing is written`() async throws {
    try await within { stub, store in
      for method in [HTTPMethod.get, .post, .put, .patch, .delete] { stub.on(method, "/memos", .json(Self.refusal)) }
      for method in [HTTPMethod.get, .post, .put, .patch, .delete] { stub.on(method, "/memos/1", .json(Self.refusal)) }
      check(try await requestError { try await Reminder.get() })
      check(try await requestError { try await Reminder.get("1") })
      check(try await requestError { try await Reminder.post() })
      check(try await requestError { try await Reminder.delete("1") })
      check(try await requestError { try await Reminder.pages(by: .body("next")).all() })
      check(try await requestError { try await Client.current.get("memos", as: JSONValue.self) })
      check(try await requestError { try await Client.current.get("memos") })
      check(try await requestError { try await Client.current.send(try Client.current.request(.get, "memos")) })
      check(try await requestError { try await Reminder.get(streaming: .atomically) })
      #expect(try await texts(store) == ["1 old"])
    }
  }

  @MainActor @Test func `edits that a refused write sent stay edits, and a refused deletion keeps the row`()
    async throws
  {
    try await within { stub, store in
      stub.on(.put, "/memos/1", .json(Self.refusal))
      stub.on(.delete, "/memos/1", .json(Self.refusal))
      let memo = try #require(try store.main.fetch(Reminder.all).first)
      memo.text = "mine"
      check(try await requestError { try await memo.put(\.text) })
      #expect(memo.text == "mine")
      #expect(memo.hasChanges)
      check(try await requestError { try await memo.delete() })
      #expect(try store.main.count(Reminder.all) == 1)
    }
  }

  @Test func `a success stays one, whatever else is in it`() async throws {
    try await within { stub, store in
      stub.on(.get, "/memos", .json(["ok": true, "memos": [["id": 1, "text": "new"]]]))
      #expect(try await Reminder.get().counts.updated == 1)
      stub.on(.get, "/memos", .json(["memos": []]))
      #expect(try await Reminder.get().ids.isEmpty)
      stub.on(.get, "/memos", .json(["ok": false, "error": "gone"], status: 404))
      let gone = try await requestError { try await Reminder.get() }
      #expect(gone.status == 404)
      #expect(gone.serverMessage == "gone")
      #expect(gone.message == "The server refused the request: not found.")
      stub.on(.delete, "/memos/1", .status(204))
      try await Reminder.delete("1")
      #expect(try await texts(store) == [])
    }
  }

  @Test func `a refusal is not cached, and the known answer stays`() async throws {
    try await within { stub, store in
      stub.on(.get, "/memos", .json(["ok": true, "memos": [["id": 1, "text": "new"]]]), .json(Self.refusal))
      _ = try await Reminder.get(options: .cache(.networkOnly))
      check(try await requestError { try await Reminder.get(options: .cache(.networkOnly)) })
      let known = try await Reminder.get(options: .cache(.cacheOnly))
      #expect(known.ids.count == 1)
      #expect(try await texts(store) == ["1 new"])
    }
  }

  @Test func `a refusal at the end of a stream names the groups that came before`() async throws {
    try await within { stub, store in
      let list = (1...30).map { #"{"id": \#($0), "text": "t"}"# }.joined(separator: ",")
      stub.on(.get, "/memos", .text(#"{"memos": ["# + list + #"], "ok": false, "error": "late"}"#))
      let error = try await requestError { try await Reminder.get(streaming: .groups(of: 10)) }
      #expect(error.kind == .status)
      #expect(error.committed?.groups == 3)
    }
  }

  @Test func `the verdict of a request comes before that of the client`() async throws {
    try await within { stub, store in
      stub.on(.get, "/memos", .json(["ok": false, "memos": [["id": 1, "text": "new"]]]))
      let none = ResponseVerdict { _, _ in nil }
      #expect(try await Reminder.get(options: .verdict(none)).counts.updated == 1)
      let own = ResponseVerdict { response, body in body?["memos"] == nil ? nil : .refused("There are memos.") }
      let error = try await requestError { try await Reminder.get(options: .verdict(.first(of: none, own))) }
      #expect(error.message.hasPrefix("There are memos."))
      #expect(error.serverMessage == nil)
    }
  }

  @Test(arguments: [
    (#"{"error": "no place"}"#, "no place"), (#"{"error": {"title": ["", "too long"], "code": 7}}"#, "too long"),
    (#"{"error": [{"message": "first"}, "second"]}"#, "first"), (#"{"error": {"code": 7}}"#, nil),
    (#"{"error": ""}"#, nil),
    (#"{"other": "x"}"#, nil), (#"["error"]"#, nil), ("<html>", nil), ("", nil),
  ])
  func `the words of a refusal by its status are the first text at their place`(_ body: String, _ words: String?)
    async throws
  {
    try await within(.words(at: "error")) { stub, store in
      stub.on(.get, "/memos", .text(body, status: 422))
      let error = try await requestError { try await Reminder.get() }
      #expect(error.status == 422)
      #expect(error.serverMessage == words)
      // A success with words is one.
      stub.on(.get, "/memos", .json(["error": "none", "memos": [["id": 1, "text": "new"]]]))
      #expect(try await Reminder.get().counts.updated == 1)
    }
  }

  @Test func `a verdict that throws about a refusal by its status leaves it as it is`() async throws {
    try await within(ResponseVerdict { _, _ in throw CancellationError() }) { stub, store in
      stub.on(.get, "/memos", .json(["error": "gone"], status: 404))
      let error = try await requestError { try await Reminder.get() }
      #expect(error.status == 404)
      #expect(error.model(as: SlackError.self)?.error == "gone")
      #expect(error.serverMessage == nil)
    }
  }

  @Test func `an answer that another client delivered is looked at too`() async throws {
    try await within { _, store in
      check(
        try await requestError {
          try await Reminder.upsert(from: HTTPResponse(status: 200, body: Self.refusal.rawBytes))
        })
      #expect(try await texts(store) == ["1 old"])
    }
  }
}
