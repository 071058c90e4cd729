import Foundation

/// The table for people and the lines for programs.
enum Report {
  static let heading =
    pad("case", 40) + pad("rival", 26)
    + "   ours (min–max) ms      rival (min–max) ms     ratio  of CPU   ours MB/s    memory MB     CPU µs each"

  /// A line for each rival; the ratio is ours by theirs, so less than 1 is faster. Bytes stand in the columns of times.
  static func table(_ outcome: Outcome) -> String {
    outcome.rivals.map { rival in
      let speed = Double(outcome.size) / 1e6 / outcome.ours.median
      let cpuRatio = outcome.ours.cpuMedian / rival.cpuMedian
      return pad(outcome.contest, 40) + pad(rival.name, 26)
        + values(outcome.ours, outcome.quantity) + values(rival, outcome.quantity)
        + String(format: "%7.3f %7.3f %11.0f", outcome.ours.median / rival.median, cpuRatio, speed)
        + pad(String(format: "   %5.0f / %.0f", outcome.ours.peakMegabytes, rival.peakMegabytes), 16)
        + (outcome.operations.map { each(outcome.ours, rival, $0) } ?? "")
    }.joined(separator: "\n")
  }

  /// Milliseconds, or bytes.
  private static func values(_ figures: Figures, _ quantity: Quantity) -> String {
    let unit = quantity == .time ? 1000.0 : 1
    return pad(
      String(
        format: "%9.2f (%.2f–%.2f)", figures.median * unit, figures.minimum * unit, figures.maximum * unit), 28)
  }

  /// The time on processors for one operation, ours and the rival's.
  private static func each(_ ours: Figures, _ rival: Figures, _ operations: Int) -> String {
    String(
      format: "%7.1f / %.1f", ours.cpuMedian * 1e6 / Double(operations), rival.cpuMedian * 1e6 / Double(operations))
  }

  private static func pad(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// One JSON object for each rival. Times are medians in seconds, memory is the growth of the process. Of a contest that
  /// compares bytes, bytes stand for the seconds, and `unit` says so.
  static func lines(_ outcome: Outcome) -> [String] {
    outcome.rivals.map { rival in
      let fields: [(String, String)] = [
        ("name", "\"\(outcome.contest)\""), ("unit", outcome.quantity == .time ? "\"s\"" : "\"bytes\""),
        ("ours_s", number(outcome.ours.median)),
        ("rival", "\"\(rival.name)\""), ("rival_s", number(rival.median)),
        ("ratio", number(outcome.ours.median / rival.median)),
        ("peak_rss_mb", number(outcome.ours.peakMegabytes)), ("rival_peak_rss_mb", number(rival.peakMegabytes)),
        ("ours_cpu_s", number(outcome.ours.cpuMedian)), ("rival_cpu_s", number(rival.cpuMedian)),
        ("ours_min_s", number(outcome.ours.minimum)), ("ours_max_s", number(outcome.ours.maximum)),
        ("rival_min_s", number(rival.minimum)), ("rival_max_s", number(rival.maximum)),
        ("rounds", "\(outcome.ours.times.count)"), ("rival_rounds", "\(rival.times.count)"),
        ("bytes", "\(outcome.size)"), ("operations", "\(outcome.operations.map(String.init) ?? "null")"),
      ]
      return "{" + fields.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
    }
  }

  private static func number(_ value: Double) -> String { value.isFinite ? String(format: "%.6g", value) : "null" }
}
