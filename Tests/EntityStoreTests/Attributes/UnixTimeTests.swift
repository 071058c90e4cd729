import EntityStore
import Foundation
import Testing

/// Dates as numbers of seconds, milliseconds and microseconds, and as texts of such numbers.
struct UnixTimeTests {
  @Test func `each unit is exact, and goes back as it came`() throws {
    func check<T: Transformers.UnixTime>(_ type: T.Type, _ number: Decimal, _ seconds: Double) throws {
      let date = try T.value(from: number)
      #expect(date == Date(timeIntervalSince1970: seconds), "\(T.self)")
      #expect(try T.source(from: date) == number)
      #expect(try Transformers.AsText<T>.value(from: "\(number)") == date)
      #expect(try Transformers.AsText<T>.source(from: date) == "\(number)")
    }
    try check(Transformers.UnixSeconds.self, 1_700_000_000, 1_700_000_000)
    try check(Transformers.UnixSeconds.self, -1, -1)
    try check(Transformers.UnixMilliseconds.self, 1_700_000_000_123, 1_700_000_000.123)
    try check(Transformers.UnixMilliseconds.self, -1, -0.001)
    try check(Transformers.UnixMicroseconds.self, 1_700_000_000_123_456, 1_700_000_000.123456)
  }

  @Test func `a finer unit than the library's goes back as it came, also beyond 64 bits`() throws {
    let number = try #require(Decimal(string: "10000000000000000000"))
    #expect(try Nanoseconds.source(from: Nanoseconds.value(from: number)) == number)
    #expect(try Nanoseconds.source(from: Date(timeIntervalSince1970: 1_700_000_000)) == 1_700_000_000_000_000_000)
    #expect(try Nanoseconds.source(from: .distantFuture) > number)
    #expect(try Nanoseconds.source(from: .distantPast) < -number)
  }

  @Test func `a number beyond the years with four digits names the unit`() throws {
    func reason(_ body: () throws -> Void) -> String? { #expect(throws: AttributeError.self, performing: body)?.reason }
    #expect(
      reason { _ = try Transformers.UnixSeconds.value(from: 1_700_000_000_123) }
        == "a date in the years 0 to 9999, as seconds since 1970, was expected")
    #expect(
      reason { _ = try Transformers.UnixMilliseconds.value(from: 1_700_000_000_123_456) }
        == "a date in the years 0 to 9999, as milliseconds since 1970, was expected")
    for seconds in [1e300, -1e300, .infinity, .nan, 253_402_300_800, -62_167_219_201] {
      #expect(
        reason { _ = try Transformers.UnixMicroseconds.source(from: Date(timeIntervalSince1970: seconds)) }
          == "a date in the years 0 to 9999, as microseconds since 1970, was expected")
    }
  }

  @Test(arguments: ["", "-", ".", "1.", ".5", "1e3", "0x10", "12 ", "1-2", "1.2.3", "２", "2026-05-01"])
  func `a text that is no number is refused`(_ text: String) {
    #expect(throws: AttributeError.self) { try Transformers.AsText<Transformers.UnixSeconds>.value(from: text) }
  }
}

private enum Nanoseconds: Transformers.UnixTime {
  static var unitsPerSecond: Int { 1_000_000_000 }
}
