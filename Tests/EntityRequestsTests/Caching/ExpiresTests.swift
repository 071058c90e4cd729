import EntityClient
import EntityTesting
import SampleSchema
import Testing
import HTTPFoundation

@testable import EntityRequests

/// `Expires`, where `Cache-Control` does not say how long an answer is fresh.
struct ExpiresTests {
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  /// - Returns: For how long an answer is fresh, as its requests show.
  private func isFresh(_ headers: HTTPHeaders, after seconds: Double) async throws -> Bool {
    let clock = TestClock()
    return try await clock.run {
      let server = CachingServer(headers: headers)
      return try await Client.withClient(server.client()) {
        try await User.get(options: .cache(.cacheFirst()))
        clock.advance(by: seconds)
        try await User.get(options: .cache(.cacheFirst()))
        return server.stub.requests.count == 1
      }
    }
  }

  /// The clock of the server is decades behind: only the time between its dates counts.
  @Test(arguments: [
    "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
  ])
  func `a response is fresh until it expires`(_ expires: String) async throws {
    let headers: HTTPHeaders = ["Date": Self.date, "Expires": expires]
    #expect(try await isFresh(headers, after: 59))
    #expect(try await !isFresh(headers, after: 60))
  }

  @Test func `the time in a cache on the way counts`() async throws {
    let headers: HTTPHeaders = ["Date": Self.date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Age": "20"]
    #expect(try await isFresh(headers, after: 39))
    #expect(try await !isFresh(headers, after: 40))
  }

  @Test func `without a date the time of reception counts`() async throws {
    // The test's clock begins at 1,000,000 seconds.
    let headers: HTTPHeaders = ["Expires": "Mon, 12 Jan 1970 13:47:40 GMT"]
    #expect(try await isFresh(headers, after: 59))
    #expect(try await !isFresh(headers, after: 60))
  }

  @Test(arguments: ["0", "-1", "", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT"])
  func `a date that cannot be read or is past is not fresh`(_ expires: String) async throws {
    #expect(try await !isFresh(["Date": Self.date, "Expires": expires], after: 0))
  }

  @Test func `several dates are none`() async throws {
    var headers: HTTPHeaders = ["Date": Self.date, "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]
    headers.add("Sun, 06 Nov 1994 10:49:37 GMT", to: "Expires")
    #expect(try await !isFresh(headers, after: 0))
  }

  @Test(arguments: [
    ("max-age=10", 9.0, 10.0), ("private, max-age=100", 99, 100), ("s-maxage=10", 59, 60), ("private", 59, 60),
    ("max-age=99999999999999999999", 1e9, 1e21),
  ])
  func `Cache-Control counts before Expires`(_ directives: String, _ fresh: Double, _ old: Double) async throws {
    let headers: HTTPHeaders = [
      "Date": Self.date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT", "Cache-Control": directives,
    ]
    #expect(try await isFresh(headers, after: fresh))
    #expect(try await !isFresh(headers, after: old))
  }

  @Test(arguments: ["no-cache", "max-age=x", "s-maxage=100"])
  func `a directive that gives no time is none`(_ directives: String) async throws {
    let expires = directives == "s-maxage=100" ? nil : "Sun, 06 Nov 1994 08:50:37 GMT"
    var headers: HTTPHeaders = ["Date": Self.date, "Cache-Control": directives]
    if let expires { headers["Expires"] = expires }
    #expect(try await !isFresh(headers, after: 0))
  }

  @Test(arguments: [true, false])
  func `a date of a 304 counts from then on`(_ hasDate: Bool) async throws {
    let (stub, clock) = (StubAdapter(), TestClock())
    let first: HTTPHeaders = ["ETag": "\"v1\"", "Date": Self.date, "Expires": "Sun, 06 Nov 1994 08:49:47 GMT"]
    var second: HTTPHeaders = ["ETag": "\"v1\"", "Date": "Sun, 06 Nov 1994 08:49:48 GMT"]
    if hasDate { second["Expires"] = "Sun, 06 Nov 1994 08:51:28 GMT" }
    stub.on(
      .get, "/users", .json([["id": 1]], headers: first), .status(304, headers: second),
      .status(304, headers: second))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await clock.run {
      try await Client.withClient(client) {
        let options: ResponseOptions<User> = .cache(.cacheFirst())
        try await User.get(options: options)
        clock.advance(by: 11)
        #expect(try await User.get(options: options).origin == .notModified)
        clock.advance(by: 99)
        #expect(try await User.get(options: options).origin == (hasDate ? .cache(age: .seconds(99)) : .notModified))
      }
    }
  }

  /// Without `Date` the time until the same `Expires` is another one with each answer.
  @Test func `a date that stays the same is not written with each 304`() async throws {
    // A minute after the beginning of the test's clock.
    let (server, clock) = (CachingServer(headers: ["Expires": "Mon, 12 Jan 1970 13:47:40 GMT"]), TestClock())
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    try await clock.run {
      try await Client.withClient(server.client(store)) {
        try await User.get(options: .asked)
        let texts = try await store.noteTexts()
        for _ in 0..<3 {
          clock.advance(by: 10.4)
          #expect(try await User.get(options: .asked).origin == .notModified)
        }
        #expect(try await store.noteTexts() == texts)
        clock.advance(by: 27)
        try await User.get(options: .cache(.cacheFirst()))
        #expect(server.stub.requests.count == 4, "58 seconds")
        clock.advance(by: 2)
        try await User.get(options: .cache(.cacheFirst()))
        #expect(server.stub.requests.count == 5, "60 seconds")
      }
    }
  }

  /// The next process knows nothing but the note.
  @Test func `a date that comes nearer is written`() async throws {
    let stub = StubAdapter()
    stub.on(
      .get, "/users",
      .json([["id": 1]], headers: ["ETag": "\"v1\"", "Date": Self.date, "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]),
      .status(304, headers: ["ETag": "\"v1\"", "Date": Self.date, "Expires": "Sun, 06 Nov 1994 08:50:37 GMT"]))
    let store = try EntityStore(.inMemory, entities: sampleEntities)
    let client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/")
    try await TestClock().run {
      try await Client.withClient(client) {
        try await User.get(options: .asked)
        let texts = try await store.noteTexts()
        #expect(try await User.get(options: .asked).origin == .notModified)
        #expect(try await store.noteTexts() != texts)
      }
    }
  }

  @Test func `a date of a 304 does not override Cache-Control`() throws {
    let request = URLRequest(url: try #require(URL(string: "https://api.example.com/users")))
    let first = HTTPResponse(status: 200, headers: ["Cache-Control": "max-age=10"])
    let answer = try #require(KeptAnswer(first, to: request))
    #expect(answer.updated(by: ["Date": Self.date, "Expires": "Sun, 06 Nov 1994 09:49:37 GMT"]).lifetime == 10)
  }

  /// The dates differ in each answer, and the answer is the same: it leaves the note as it is.
  @Test func `equal answers with other dates are equal`() throws {
    func answer(_ minute: Int) throws -> KeptAnswer {
      let headers: HTTPHeaders = [
        "Date": "Sun, 06 Nov 1994 08:\(minute):37 GMT", "Expires": "Sun, 06 Nov 1994 09:\(minute):37 GMT",
      ]
      let request = URLRequest(url: try #require(URL(string: "https://api.example.com/users")))
      return try #require(KeptAnswer(HTTPResponse(status: 200, headers: headers), to: request))
    }
    #expect(try answer(10).lifetime == 3600)
    #expect(try answer(10).text == answer(20).text)
  }

  @Test func `dates are read`() {
    let now = 1_800_000_000.0
    #expect(HTTPDate.seconds(Self.date, now: now) == 784_111_777)
    #expect(HTTPDate.seconds("Sunday, 06-Nov-94 08:49:37 GMT", now: now) == 784_111_777)
    #expect(HTTPDate.seconds("Sun Nov  6 08:49:37 1994", now: now) == 784_111_777)
    #expect(HTTPDate.seconds("Sun Nov 16 08:49:37 1994", now: now) == 784_975_777)
    // 2077 would be more than 50 years ahead of 2027, and 2076 is not.
    #expect(HTTPDate.seconds("Friday, 01-Jan-76 00:00:00 GMT", now: now) == 3_345_062_400)
    #expect(HTTPDate.seconds("Friday, 01-Jan-99 00:00:00 GMT", now: now) == 915_148_800)
    for text in [
      "", " ", "Sun,", "06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
      "Sun, 06 Now 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
      "Sun, 006 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06-Nov-1994 08:49:37 GMT",
      "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT GMT",
    ] { #expect(HTTPDate.seconds(text, now: now) == nil, "\(text)") }
  }
}
