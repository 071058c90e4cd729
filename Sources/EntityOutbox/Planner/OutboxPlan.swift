public import EntityStore
public import Foundation

/// The changes that an outbox has, in the order in which it sends them, and what each one waits for.
///
/// A plan changes nothing, and no request is sent for it. It has names, the versions that requests hold for, and no other
/// values.
///
/// ```swift
/// print(try await outbox.plan())
/// // paused: offline, next try in 38 s (jitter 0…64 s, 6 failures)
/// // 1  PATCH  orders/10  note, total           If-Match "7"
/// // 2  POST   customers  name                  key 5f0c…; sent again, because the answer was lost
/// // 3  POST   orders     number, customer ‹2›  after 2
/// // -  PATCH  orders/11  note                  refused 422 by the server at 10:31; edit it, retry or drop it
/// ```
///
/// The first column numbers the changes that are sent without a person, and `‹2›` behind a property is the change that
/// creates the object there. A change without a number waits for a person.
public struct OutboxPlan: Sendable, Equatable, CustomStringConvertible {
  /// The state of a change: ready, or waiting for something.
  public enum State: Sendable, Hashable {
    /// It is sent now.
    case ready
    /// As many requests as allowed are under way: it is sent when one of them ends. Or a rule can't make its request yet.
    case queued
    /// Its request is under way.
    case sending
    /// It is sent at this time; `nil` while the outbox pauses until something else happens.
    case later(Date?)
    /// It is sent after the changes of these objects.
    case after([AnyEntityID])
    /// It waits for these entries, which a person settles: the lowest 16 numbers.
    case blocked(by: [Int64])
    /// It waits for these objects, each of which requires a link to another one of them, so that none can be created
    /// first. A person takes out a link.
    case cycle([AnyEntityID])
    /// The server refused it. A person edits, retries or drops it; no edit helps a command, a file or a deletion.
    case refused
    /// The answer was lost, and nothing says whether the server has the change. A person confirms it or drops it.
    case unknown
    /// The server has another value. A person settles the conflict.
    case conflict
    /// The server deleted the object. A person restores or drops the change.
    case gone
  }

  /// One change: what its request does, and what it waits for.
  public struct Line: Sendable, Equatable, CustomStringConvertible {
    /// The object. Two lines have the same object where its changes are sent one after the other.
    public let id: AnyEntityID
    /// The place among the changes that are sent without a person, from 1; `nil` for one that waits for a person.
    public let number: Int?
    /// The method of the request: `PATCH`.
    public let method: String
    /// The path of the request, as `orders/10`; `(row 9)` where no request can be made yet.
    public let path: String
    /// The names of the properties that the request carries, or that of its command.
    public let properties: [String]
    public let state: State
    /// The reason for the state, for a person: `after 2`.
    public let reason: String
    /// The number of the entry by which a person settles the change; `nil` for a change that was never sent.
    public let entry: Int64?
    /// For each property with links to objects that are not created yet, the lines that create these.
    fileprivate var targets: [Int: [Int]] = [:]

    /// The name of the entity.
    public var entity: String { id.entityName }

    public var description: String { columns.filter { !$0.isEmpty }.joined(separator: "  ") }

    /// The number, the method, the path, the properties and the reason.
    fileprivate var columns: [String] {
      var names = properties.enumerated().map { index, name in
        guard let lines = targets[index] else { return name }
        return name + " ‹\(lines.prefix(3).map(String.init).joined(separator: ", "))\(lines.count > 3 ? ", …" : "")›"
      }
      let row = "(row \(id.pk))"
      if names.isEmpty, path != row, number == nil { names = [row] }
      return [number.map(String.init) ?? "-", method, path, names.joined(separator: ", "), reason]
    }
  }

  /// The reason why nothing is sent, for a person: `offline, next try in 38 s (jitter 0…64 s, 6 failures)`; `nil` where the outbox
  /// does not pause.
  public let pause: String?
  /// Whether the outbox sends: it was started, or a call of ``Outbox/send()`` is under way. Otherwise nothing is sent before
  /// ``Outbox/start()`` or ``Outbox/send()``.
  public let isSending: Bool
  public let lines: [Line]

  /// A table of the lines, as above. Columns are aligned up to 40 characters. The first lines say why nothing is sent.
  public var description: String {
    let rows = lines.map(\.columns)
    var widths = [0, 0, 0, 0]
    for row in rows { for column in widths.indices { widths[column] = max(widths[column], row[column].count) } }
    let table = rows.map { row in
      var text = ""
      for (column, cell) in row.enumerated() {
        text += cell
        if column < widths.count {
          text += String(repeating: " ", count: max(0, min(widths[column], 40) - cell.count) + 2)
        }
      }
      while text.last == " " { text.removeLast() }
      return text
    }
    var head = lines.isEmpty || isSending ? [] : ["not started: call start() or send()"]
    if let pause { head.append("paused: \(pause)") }
    return (lines.isEmpty && head.isEmpty ? ["nothing is pending"] : head + table).joined(separator: "\n")
  }
}

/// The names that a plan for people has, which a plan of facts has not.
package protocol OutboxNames {
  func id(_ key: RowKey) -> AnyEntityID
  func property(_ index: Int, of key: RowKey) -> String
  /// The method and the path of the request of a line; no path where no request can be made.
  func request(_ line: PlannedLine) -> (method: String, path: String?)
  /// Further facts of its request: the key, or the version that it holds for.
  func note(_ line: PlannedLine) -> String?
}

extension OutboxPlan {
  /// - Parameters:
  ///   - plan: The plan of the situation.
  ///   - pause: Why the outbox pauses.
  ///   - isSending: Whether it was started, or has a pass under way.
  ///   - timeZone: The time zone of the times in the reasons.
  package init(
    _ plan: PlannedOutbox, of situation: OutboxSituation, names: some OutboxNames, pause: String? = nil,
    isSending: Bool = true, timeZone: TimeZone = .current
  ) {
    (self.pause, self.isSending) = (pause, isSending)
    let reasons = OutboxReasons(plan, situation, names, timeZone)
    lines = plan.lines.indices.map { index in
      let line = plan.lines[index]
      let entry = line.entry.flatMap { situation.entries[$0] }
      var indices = Array(line.properties.indices)
      var names = indices.map { reasons.names.property($0, of: line.key) }
      if line.action == .command { names = entry?.name.map { [$0] } ?? [] }
      // The request of an entry can have other properties than the marks have by now.
      let isMade = line.action == .update && (line.isFrozen || line.state == .sending)
      if isMade || names.isEmpty && line.action != .deletion {
        let sent = OutboxEntry.properties(in: entry?.sent)
        if Set(sent) != Set(names), !sent.isEmpty { (names, indices) = (sent.sorted(), []) }
      }
      var shown = Line(
        id: reasons.names.id(line.key), number: reasons.numbers[index], method: reasons.names.request(line).method,
        path: reasons.path(line), properties: names, state: Self.state(line.state, reasons.names),
        reason: reasons.reason(line), entry: line.entry)
      shown.targets = reasons.targets(line, indices)
      return shown
    }
  }

  private static func state(_ state: PlannedLine.State, _ names: some OutboxNames) -> State {
    switch state {
    case .ready: .ready
    case .queued: .queued
    case .sending: .sending
    case .later(let time): .later(time < .infinity ? Date(timeIntervalSince1970: time) : nil)
    case .after(let keys): .after(keys.map(names.id))
    case .blocked(let entries): .blocked(by: entries)
    case .cycle(let keys): .cycle(keys.map(names.id))
    case .refused: .refused
    case .unknown: .unknown
    case .conflict: .conflict
    case .gone: .gone
    }
  }
}
