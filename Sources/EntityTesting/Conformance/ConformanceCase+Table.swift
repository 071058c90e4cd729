extension ConformanceCase {
  /// The table of cases and adapters, in Markdown. A cell says `yes`, or has the number of a reason below the table.
  /// The table is only true if the tests run the same cases with the same differences.
  ///
  /// - Parameters:
  ///   - cases: The cases, in the order of the rows.
  ///   - adapters: The name of each adapter, with its differences. A difference that names no case is listed too, as
  ///     unknown.
  public static func table(
    _ cases: [ConformanceCase], of adapters: KeyValuePairs<String, [ConformanceDifference]>
  ) -> String {
    var reasons: [String] = []
    func number(_ reason: String) -> Int {
      if let index = reasons.firstIndex(of: reason) { return index + 1 }
      reasons.append(reason)
      return reasons.count
    }
    var lines = [
      "| fault | case | " + adapters.map(\.key.inOneCell).joined(separator: " | ") + " |",
      "|" + String(repeating: " --- |", count: adapters.count + 2),
    ]
    for one in cases {
      let cells = adapters.map { _, differences -> String in
        guard let difference = differences.first(where: { $0.name == one.name }) else { return "yes" }
        let word = [.always: "no", .sometimes: "at times", .notRun: "not run"][difference.extent] ?? "no"
        return "\(word) (\(number(difference.reason)))"
      }
      let faults = one.faults.map { "\($0)" }.joined(separator: ", ")
      lines.append("| \(faults) | \(one.name.inOneCell) | " + cells.joined(separator: " | ") + " |")
    }
    let names = Set(cases.map(\.name))
    for (adapter, differences) in adapters {
      for difference in differences where !names.contains(difference.name) {
        reasons.append("Unknown: \(adapter) names the case \"\(difference.name)\".")
      }
    }
    if !reasons.isEmpty { lines.append("") }
    return (lines + reasons.enumerated().map { "\($0.offset + 1). \($0.element.inOneLine)" }).joined(separator: "\n")
  }
}

extension String {
  /// A line break ends a row of a table, and an item of a list.
  fileprivate var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
  fileprivate var inOneCell: String { inOneLine.replacing("|", with: "\\|") }
}
