import EntityClient
import Foundation

/// Dates as the tracker writes them, in UTC: `2026-11-21.07:20:41`.
enum RoundupDate: AttributeTransformer {
  static func value(from text: String) throws -> Date {
    do {
      return try Date(text.replacing(".", with: "T") + "Z", strategy: .iso8601)
    } catch {
      throw AttributeError("a date as in 2026-11-21.07:20:41 was expected")
    }
  }

  static func source(from date: Date) -> String {
    date.formatted(.iso8601).replacing("T", with: ".").replacing("Z", with: "")
  }
}
