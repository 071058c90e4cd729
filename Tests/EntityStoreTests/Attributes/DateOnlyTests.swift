import EntityStore
import Foundation
import TestSupport
import Testing

/// Days without a time.
struct DateOnlyTests {
  @Test func `a day is midnight in UTC`() throws {
    #expect(try DateOnly.value(from: "2026-05-01") == Date(timeIntervalSince1970: 1_777_593_600))
    #expect(try DateOnly.source(from: Date(timeIntervalSince1970: 1_777_593_600)) == "2026-05-01")
    #expect(try DateOnly.value(from: "1970-01-01") == Date(timeIntervalSince1970: 0))
    #expect(try DateOnly.value(from: "2024-02-29") == Date(timeIntervalSince1970: 1_709_164_800))
    #expect(try DateOnly.value(from: "0000-01-01") == Date(timeIntervalSince1970: -62_167_219_200))
  }

  @Test(arguments: [
    "", "2026", "2026-05", "2026-5-1", "20260501", "2026-02-29", "2026-13-01", "2026-00-10", "2026-05-00", "2026-05-32",
    "2026-05-01T00:00:00Z", "2026-05-01T00:00", "2026-05-01 00:00:00", "2026-05-01Z", "2026-05-01+02:00", " 2026-05-01",
    "2026-05-01 ", "+2026-05-01", "-0001-05-01", "12026-05-01", "2026/05/01", "01.05.2026", "２０２６-05-01", "1777593600",
  ]) func `any other text is refused`(_ text: String) {
    let error = #expect(throws: AttributeError.self) { try DateOnly.value(from: text) }
    #expect(error?.reason == "a date without a time was expected, as in 2026-05-01")
  }

  @Test func `a moment is sent as the day that it is in UTC`() throws {
    func day(_ seconds: Double) throws -> String { try DateOnly.source(from: Date(timeIntervalSince1970: seconds)) }
    #expect(try day(1_777_593_600 + 86_399.999) == "2026-05-01")
    #expect(try day(1_777_593_600 - 0.001) == "2026-04-30")
    #expect(try day(-1) == "1969-12-31")
    #expect(try day(253_402_300_799) == "9999-12-31")
    for seconds in [253_402_300_800, -62_167_219_201, 1e300, -.infinity, .nan] {
      #expect(throws: AttributeError.self) { try day(seconds) }
    }
  }

  /// Foundation's calendar takes part, and the time zone of the process has no part in it.
  @Test func `random days go back as they came`() async throws {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    await Seeds.each(5, sanitized: 2, "days") { [calendar] seed, _ in
      var random = SeededRandom(seed)
      for _ in 0..<300 {
        // Foundation changes calendars in 1582.
        let (year, month, day) = (1583 + random.below(8417), 1 + random.below(12), 1 + random.below(28))
        func padded(_ number: Int, _ width: Int) -> String {
          String(repeating: "0", count: width - "\(number)".count) + "\(number)"
        }
        let text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let date = try DateOnly.value(from: text)
        try #require(try DateOnly.source(from: date) == text)
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        try #require((parts.year, parts.month, parts.day) == (year, month, day))
        try #require((parts.hour, parts.minute, parts.second) == (0, 0, 0))
        let later = date.addingTimeInterval(Double(random.below(86_400_000)) / 1000)
        try #require(try DateOnly.source(from: later) == text)
      }
    }
  }
}
