import EntityJSON
import Foundation
import TestSupport
import Testing

@Suite struct ISO8601Tests {
  private func seconds(_ text: String) -> Double? { Array(text.utf8).withUnsafeBufferPointer { ISO8601.seconds($0) } }

  @Test func `dates are those of Foundation`() throws {
    var random = SeededRandom(state: 8601)
    let plain = Date.ISO8601FormatStyle()
    let fine = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for round in 0..<6000 {
      // From the year 1 to 9999; Foundation changes calendars in 1582.
      let wide = Double(Int64.random(in: -12_219_292_800..<253_402_300_800, using: &random))
      let whole = round % 2 == 0 ? wide : Double(Int64.random(in: 0..<4_294_967_296, using: &random))
      let date = Date(timeIntervalSince1970: whole)
      #expect(seconds(date.formatted(plain)) == whole)
      let milliseconds = Date(timeIntervalSince1970: whole + Double(Int.random(in: 0..<1000, using: &random)) / 1000)
        .formatted(fine)
      // Foundation rounds from 2001, rows from 1970: the last bit may differ.
      let difference = abs((seconds(milliseconds) ?? 0) - (try fine.parse(milliseconds)).timeIntervalSince1970)
      #expect(difference <= max(abs(whole), 1e9).ulp, Comment(rawValue: milliseconds))
    }
  }

  @Test func `a day alone is read and written`() {
    #expect(ISO8601.secondsOfDay("2024-02-29") == 1_709_164_800)
    for text in [
      "", "2024-02-30", "2024-02-29T", "2024-02-29Z", "2024-02-29T00:00:00Z", " 2024-02-29", "20240229", "2024-2-29x",
      "+2024-02-29", "12024-02-29", "2024-02-2９",
    ] {
      #expect(ISO8601.secondsOfDay(text) == nil, Comment(rawValue: text))
    }
    func day(_ seconds: Double) -> String? { ISO8601Text.day(of: Date(timeIntervalSince1970: seconds)) }
    #expect(day(0) == "1970-01-01")
    #expect(day(-0.5) == "1969-12-31")
    #expect(day(86_399.999) == "1970-01-01")
    #expect(day(86_400) == "1970-01-02")
    for midnight in [1_777_593_600, 1_709_164_800, 253_402_214_400, -62_135_596_800 as Double] {
      #expect(day(midnight.nextDown) != day(midnight))
      #expect(ISO8601Text.text(secondsSince1970: midnight.nextDown)?.contains("T23:59:59.") == true)
    }
    #expect(day(-62_167_219_200) == "0000-01-01")
    #expect(day(-62_167_219_201) == nil)
    #expect(day(253_402_300_799.5) == "9999-12-31")
    #expect(day(253_402_300_800) == nil)
    #expect(day(.infinity) == nil)
    #expect(day(.nan) == nil)
    // Days of all years that have four digits.
    var last = ""
    for number in stride(from: -719_528, to: 2_932_897, by: 61) {
      let seconds = Double(number) * 86_400
      guard let text = day(seconds), ISO8601.secondsOfDay(text) == seconds, text > last else {
        Issue.record("day \(number)")
        return
      }
      last = text
    }
  }

  @Test(arguments: [
    ("2024-03-01T12:00:00Z", 1_709_294_400.0), ("2024-03-01 12:00:00", 1_709_294_400),
    ("2024-03-01t12:00:00z", 1_709_294_400),
    ("2024-03-01T12:00Z", 1_709_294_400), ("2024-03-01T13:00:00+01:00", 1_709_294_400),
    ("2024-03-01T13:00:00+0100", 1_709_294_400), ("2024-03-01T13:00:00+01", 1_709_294_400),
    ("2024-03-01T06:30:00-05:30", 1_709_294_400), ("2024-03-01", 1_709_251_200),
    ("2024-03-01T12:00:00,5Z", 1_709_294_400.5), ("2016-12-31T23:59:60Z", 1_483_228_800),
    ("2016-12-31T18:59:60-05:00", 1_483_228_800), ("0001-01-01", -62_135_596_800),
    ("0000-01-01", -62_167_219_200), ("0000-02-29", -62_162_121_600), ("0000-03-01", -62_162_035_200),
    ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("1970-01-01T00:00:00.0000000000000000000000001Z", 0),
    // The basic format.
    ("20161231T235959Z", 1_483_228_799), ("20161231T235959.5Z", 1_483_228_799.5), ("20161231T2359Z", 1_483_228_740),
    ("20161231T185959-0500", 1_483_228_799), ("20161231T235960Z", 1_483_228_800),
    // The end of a day.
    ("2024-03-01T24:00:00Z", 1_709_337_600), ("2024-02-29T24:00Z", 1_709_251_200), ("20240301T240000Z", 1_709_337_600),
    ("2024-03-01T24:00:00.000+01:00", 1_709_334_000), ("2024-12-31T24:00:00Z", 1_735_689_600),
    // Ruby's and Python's texts of a time.
    ("2016-12-31 23:59:59 UTC", 1_483_228_799), ("2016-12-31 23:59:59 GMT", 1_483_228_799),
    ("2016-12-31 23:59:59 +0000", 1_483_228_799), ("2016-12-31 18:59:59 -05:00", 1_483_228_799),
    ("2016-12-31 23:59:59.123456+00:00", 1_483_228_799.123456), ("2016-12-31T23:59:59 Z", 1_483_228_799),
  ]) func `forms are read`(_ text: String, _ expected: Double) { #expect(seconds(text) == expected) }

  @Test(arguments: [
    "", "2024", "2024-3-1", "2024-02-30", "2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-00",
    "2024-01-01T",
    "2024-01-01T24:00:01Z", "2024-01-01T24:01:00Z", "2024-01-01T24:00:00.5Z", "2024-01-01T25:00:00Z",
    "2024-01-01T12:60:00Z",
    // Eight digits may be a number of seconds.
    "20240101", "1704067200", "2024010112", "20240101T12", "20240101 120000", "20240101t120000Z", "2024-0101T12:00:00Z",
    "20240101T12:00:00Z", "2024-01-01T120000Z", "20240230T120000Z", "20240101T1200000Z",
    "2024-01-01 12:00:00 ", "2024-01-01 12:00:00 CET", "2024-01-01 12:00:00 utc", "2024-01-01 12:00:00  UTC",
    "2024-01-01 12:00:00 UTC ", "2024-01-01 UTC", "2024-01", "Mon, 01 Jan 2024 12:00:00 GMT", "/Date(1704067200000)/",
    "2024-01-01T12:00:60Z", "2024-01-01T12:00:61Z",
    "2024-01-01T12:00:00.Z",
    "2024-01-01T12:00:00+24:00", "2024-01-01T12:00:00+1:00", "2024-01-01T12:00:00Zx", " 2024-01-01", "2024-01-01 ",
    "+2024-01-01", "２024-01-01",
  ]) func `a text that is no date is refused`(_ text: String) { #expect(seconds(text) == nil) }
}
