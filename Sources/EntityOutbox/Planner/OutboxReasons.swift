import EntityRequests
import EntityStore
import Foundation

/// The texts that say what the lines of a plan wait for.
struct OutboxReasons<Names: OutboxNames> {
  let names: Names
  /// The number of each line that is sent without a person.
  let numbers: [Int?]

  private let plan: PlannedOutbox
  private let situation: OutboxSituation
  private let calendar: Calendar
  /// The last line of each object, the line that creates it, and the line of each entry.
  private var last: [RowKey: Int] = [:]
  private var creates: [RowKey: Int] = [:]
  private var entries: [Int64: Int] = [:]

  init(_ plan: PlannedOutbox, _ situation: OutboxSituation, _ names: Names, _ timeZone: TimeZone) {
    (self.plan, self.situation, self.names) = (plan, situation, names)
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = timeZone
    self.calendar = calendar
    var number = 0
    numbers = plan.lines.map { line in
      guard line.state.isSent else { return nil }
      number += 1
      return number
    }
    for (index, line) in plan.lines.enumerated() {
      if line.state.isSent { last[line.key] = index }
      if line.action == .create || line.action == .lookUp { creates[line.key] = index }
      if let entry = line.entry { entries[entry] = index }
    }
  }

  func path(_ line: PlannedLine) -> String { names.request(line).path ?? "(row \(line.key.pk))" }

  /// For each of some properties the numbers of the lines that create its targets, by the place of the property.
  func targets(_ line: PlannedLine, _ properties: [Int]) -> [Int: [Int]] {
    guard case .after = line.state, let facts = situation.pending[line.key] else { return [:] }
    var targets: [Int: [Int]] = [:]
    for link in facts.links {
      guard let place = properties.firstIndex(of: link.property), let create = creates[link.target],
        let number = numbers[create]
      else { continue }
      targets[place, default: []].append(number)
    }
    return targets
  }

  // MARK: Reasons

  func reason(_ line: PlannedLine) -> String {
    let entry = line.entry.flatMap { situation.entries[$0] }
    let state = state(line, entry)
    var parts = [line.state.isSent ? names.note(line) : nil, state].compactMap(\.self)
    if !line.leftOut.isEmpty {
      let left = line.leftOut.indices.map { names.property($0, of: line.key) }.joined(separator: ", ")
      parts.append("without \(left), which follows as an update")
    }
    return parts.isEmpty ? "ready" : parts.joined(separator: "; ")
  }

  /// Why the line has its state; `nil` where the line is as good as ready.
  private func state(_ line: PlannedLine, _ entry: OutboxEntry?) -> String? {
    let since = entry.map { time($0.time) } ?? "an unknown time"
    return switch line.state {
    case .ready: again(line, entry)
    case .queued:
      situation.reasons[line.key].map { "no request can be made yet: \($0)" } ?? "waits until another request ends"
    case .sending: "its request is under way"
    case .later(let moment): later(moment, line, entry)
    case .after(let keys): "after " + list(keys.map(before))
    case .blocked(let entries): "waits for " + list(entries.map(blocker))
    case .cycle(let keys):
      "requires an object that is not created yet, and is required by it: " + list(keys.map(shown))
        + "; take out a link"
    case .refused: "\(refusal(entry)) at \(since); \(advice(line))"
    case .unknown where entry?.next == .infinity:
      "unknown since \(since): nothing tells more, for the reason that the item has; confirm or drop it"
    case .unknown: "unknown since \(since): the answer was lost, and nothing says how to ask; confirm or drop it"
    case .conflict: "conflicts with the server's value since \(since); settle it"
    case .gone: "the server deleted the object, seen at \(since); restore or drop it"
    }
  }

  /// Why a request is not the first of its change.
  private func again(_ line: PlannedLine, _ entry: OutboxEntry?) -> String? {
    switch (line.action, entry?.state) {
    case (.lookUp, _): "asks for the object, because the answer was lost"
    case (.read, _): "reads the object, because the answer was lost and the change was taken back"
    case (_, .sending?) where entry?.isRefusedClaim == true: "sent again after the refusal"
    case (_, .sending?): "sent again, because the answer was lost"
    case (_, .waiting?) where (entry?.attempts ?? 0) > 0: "sent again"
    case (_, .refused?): "sent again after the refusal"
    default: nil
    }
  }

  private func later(_ moment: Double, _ line: PlannedLine, _ entry: OutboxEntry?) -> String? {
    // The first line of a plan says for how long the outbox pauses.
    guard moment < .infinity, moment != situation.pausedUntil else { return again(line, entry) }
    if let entry, entry.state == .refused || entry.isRefusedClaim {
      return "\(refusal(entry)) at \(time(entry.time)), tried again at \(time(moment))"
    }
    return [again(line, entry), "waits until \(time(moment, seconds: true))"].compactMap(\.self).joined(separator: "; ")
  }

  private func refusal(_ entry: OutboxEntry?) -> String {
    guard let entry, let status = entry.status else { return "refused before it was sent" }
    let isTaken = (200..<300).contains(status) && entry.reason?.hasPrefix(RequestError.notTakenIn) == true
    guard !isTaken else { return "accepted \(status) by the server, whose answer was not taken in," }
    return "refused \(status) by the server"
  }

  /// The ways out of a refusal. An edit sends nothing but a create or an update anew.
  private func advice(_ line: PlannedLine) -> String {
    line.action == .create || line.action == .update ? "edit it, retry or drop it" : "retry or drop it"
  }

  /// A change that another one follows.
  private func before(_ key: RowKey) -> String {
    if let number = last[key].flatMap({ numbers[$0] }) { return String(number) }
    return "\(names.id(key)), which the outbox does not send"
  }

  private func blocker(_ number: Int64) -> String {
    guard let line = entries[number].map({ plan.lines[$0] }) else { return "entry \(number)" }
    let fact =
      switch line.state {
      case .unknown: "whose answer was lost"
      case .conflict: "which has a conflict"
      case .gone: "which the server deleted"
      default: "which was refused"
      }
    return "\(shown(line)), \(fact)"
  }

  private func shown(_ key: RowKey) -> String {
    creates[key].map { shown(plan.lines[$0]) } ?? names.id(key).description
  }

  /// The path of a line. That of a create is the path of all objects.
  private func shown(_ line: PlannedLine) -> String {
    let path = path(line)
    return line.action == .create && names.request(line).path != nil ? "\(path) (row \(line.key.pk))" : path
  }

  private func list(_ texts: [String]) -> String {
    texts.prefix(5).joined(separator: ", ") + (texts.count > 5 ? " and \(texts.count - 5) more" : "")
  }

  /// The time of a day, with the day where it is not the present one.
  private func time(_ seconds: Double, seconds showsSeconds: Bool = false) -> String {
    // A calendar has no days for times that no clock ever had.
    let date = Date(timeIntervalSince1970: seconds.isFinite ? min(max(seconds, -1e11), 1e11) : 0)
    let now = Date(timeIntervalSince1970: situation.now)
    let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
    func padded(_ part: Int?, _ width: Int = 2) -> String {
      let text = String(part ?? 0)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    var text = "\(padded(parts.hour)):\(padded(parts.minute))"
    if showsSeconds { text += ":\(padded(parts.second))" }
    guard !calendar.isDate(date, inSameDayAs: now) else { return text }
    return "\(padded(parts.year, 4))-\(padded(parts.month))-\(padded(parts.day)) \(text)"
  }
}

extension PlannedLine.State {
  /// Whether the change is sent without a person.
  fileprivate var isSent: Bool {
    switch self {
    case .ready, .queued, .sending, .later, .after: true
    case .blocked, .cycle, .refused, .unknown, .conflict, .gone: false
    }
  }
}
