import EntityClient
import EntityTesting
import Foundation
import Testing

/// The forms of dates that servers send, by the declaration of the property.
@Suite(.client(entities: [Moment.self])) struct DateFormTests {
  private static let text = """
    [{"id": 1, "plain": "20161231T235959Z", "seconds": 1483228799, "millis": 1483228799500, "micros": 1483228799500000,
      "seconds_text": "1483228799", "millis_text": "1483228799500"},
     {"id": 2, "plain": 1483228799, "seconds": "1483228799", "millis": "1483228799500", "micros": 1483228799500000.0,
      "seconds_text": 1483228799, "millis_text": 1483228799500}]
    """

  @Test func `each form is read, and a second sync writes nothing`() async throws {
    let store = try Client.current.store
    for rowsWritten in [2, 0] {
      #expect(try await Moment.upsert(from: Data(Self.text.utf8)).counts.rowsWritten == rowsWritten)
    }
    let (whole, half) = (Date(timeIntervalSince1970: 1_483_228_799), Date(timeIntervalSince1970: 1_483_228_799.5))
    try await store.read { context in
      for moment in try context.fetch(Moment.self) {
        #expect([moment.plain, moment.seconds, moment.secondsText] == [whole, whole, whole])
        #expect([moment.millis, moment.micros, moment.millisText] == [half, half, half])
      }
    }
  }

  @Test func `a request has the form that the property declares`() async throws {
    try await Moment.upsert(from: Data(Self.text.utf8))
    let sent = try await Client.current.store.read { context in
      try context.fetch(Moment.self, uid: 2).map {
        try $0.jsonObject(for: \.plain, \.seconds, \.millis, \.micros, \.secondsText, \.millisText)
      }
    }
    #expect(
      sent?.value == [
        "plain": "2016-12-31T23:59:59Z", "seconds": 1_483_228_799, "millis": 1_483_228_799_500,
        "micros": 1_483_228_799_500_000, "seconds_text": "1483228799", "millis_text": "1483228799500",
      ])
  }

  @Test func `the last day of the year 9999 means never`() async throws {
    try await Moment.upsert(from: ["id": 1, "plain": 253_402_300_799])
    let plain = try await Client.current.store.read { try $0.fetch(Moment.all).first?.plain }
    #expect(plain == Date(timeIntervalSince1970: 253_402_300_799))
  }

  @Test(arguments: [
    (
      "1777636800000",
      "beyond the years 0 to 2999: `@Transformed(by: Transformers.UnixMilliseconds.self)` reads milliseconds"
    ), ("86400000000", "`@Transformed(by: Transformers.UnixMilliseconds.self)` reads milliseconds"),
    ("253402214399", "`@Transformed(by: Transformers.UnixMilliseconds.self)` reads milliseconds"),
    ("1777636800000000", "`@Transformed(by: Transformers.UnixMicroseconds.self)` reads microseconds"),
    ("1e300", "out of range"),
    (#""1777636800""#, "`@Transformed(by: Transformers.AsText<Transformers.UnixSeconds>.self)` reads seconds as text"),
    (#""Sat, 31 Dec 2016 23:59:59 GMT""#, "a string of another form, which a `Transformers.DateFormat` can read"),
    (#""2026-11""#, "of another form"), (#""24:00:00""#, "of another form"), ("true", "there is a boolean"),
    (#"{"date": "2016-12-31 23:59:59.000000", "timezone": "UTC"}"#, "there is an object"),
  ]) func `a plain date says what to declare for other forms, and the old date stays`(
    _ value: String, _ words: String
  ) async throws {
    try await Moment.upsert(from: ["id": 1, "plain": "2026-05-01"])
    let error = try await requestError { try await Moment.upsert(from: Data(#"{"id": 1, "plain": \#(value)}"#.utf8)) }
    #expect(error.description.contains("'Moment.plain'"), "\(error)")
    #expect(error.description.contains("a date as in 2024-03-01T12:00:00Z, or seconds since 1970 was expected"))
    #expect(error.description.contains(words), "\(error)")
    #expect(!error.description.contains("17776368"))
    let kept = try await Client.current.store.read { try $0.fetch(Moment.self, uid: 1)?.plain }
    #expect(kept == Date(timeIntervalSince1970: 1_777_593_600))
  }
}

@Entity final class Moment: RemoteEntity {
  @UID @Key("id") var uid: Int
  var plain: Date?
  @Transformed(by: Transformers.UnixSeconds.self) var seconds: Date?
  @Transformed(by: Transformers.UnixMilliseconds.self) var millis: Date?
  @Transformed(by: Transformers.UnixMicroseconds.self) var micros: Date?
  @Transformed(by: Transformers.AsText<Transformers.UnixSeconds>.self) var secondsText: Date?
  @Transformed(by: Transformers.AsText<Transformers.UnixMilliseconds>.self) var millisText: Date?

  static var basePath: String { "moments" }
}
