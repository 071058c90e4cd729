import EntityOutbox
import EntityStore
import Foundation

/// The plan of an app's outbox: the changes in the order in which they are sent, and what each one waits for.
struct PlanPart: Encodable {
  struct Line: Encodable {
    /// The place among the changes that are sent without a person; `nil` for one that waits for a person.
    let number: Int?
    let request: String
    let object: ObjectLink
    let properties: [String]
    let state: String
    let reason: String
    /// The number of its entry; `nil` for a change that was never sent.
    let entry: Int64?
  }

  /// Why nothing is sent; `nil` where the outbox does not pause.
  let pause: String?
  /// Whether the outbox sends: it was started, or asked to send; `nil` where there is no plan.
  let isSending: Bool?
  let lines: [Line]
  /// How many lines the page leaves out.
  let left: Int
  /// Why there is no plan.
  let problem: String?

  private static let most = 500

  var isEmpty: Bool { lines.isEmpty && problem == nil }

  init(_ answer: AppAnswer<OutboxPlan>, _ reader: StoreFileReader) throws {
    let plan = answer.value
    (pause, isSending, problem) = (plan?.pause, plan?.isSending, answer.problem)
    let all = plan?.lines ?? []
    left = max(0, all.count - Self.most)
    lines = try all.prefix(Self.most).map { line in
      Line(
        number: line.number, request: "\(line.method) \(line.path)",
        object: try reader.object(line.id.entityName, line.id.pk), properties: line.properties,
        state: Self.name(line.state), reason: line.reason, entry: line.entry)
    }
  }

  private static func name(_ state: OutboxPlan.State) -> String {
    switch state {
    case .ready: "ready"
    case .queued: "queued"
    case .sending: "sending"
    case .later: "later"
    case .after: "after"
    case .blocked: "blocked"
    case .cycle: "cycle"
    case .refused: "refused"
    case .unknown: "unknown"
    case .conflict: "conflict"
    case .gone: "gone"
    }
  }

  /// It is within a live part.
  var html: HTML {
    let head = ["", "request", "object", "carries", "state", "why", "entry"]
    let problems: HTML? = problem.map(HTML.problem)
    let pauses: HTML? = pause.map { .note("The outbox pauses: \($0).") }
    let stands: HTML? =
      isSending == false && !lines.isEmpty ? .note("The outbox is not started: call start() or send().") : nil
    let more: HTML? = left > 0 ? .note("\(left) more changes are in the plan.") : nil
    return """
      \(problems)\(stands)\(pauses)\(HTML.table(nil, head: head, rows: lines.map(Self.row)))\(more)
      """
  }

  private static func row(_ line: Line) -> HTML {
    // A change that waits for a person has no number.
    let number = line.number.map(String.init) ?? "–"
    let waits: HTML = line.number == nil ? " problem" : ""
    let key = "plan.\(line.object.entity).\(line.object.pk).\(line.request)"
    return """
      <tr><td class="number">\(number)</td><td>\(line.request)</td><td>\(HTML.link(line.object, isRow: true))</td>\
      <td class="wide">\(line.properties.joined(separator: ", "))</td><td class="\(waits)" data-key="\(key)">\(line.state)</td>\
      <td class="wide">\(line.reason)</td><td class="number">\(line.entry.map(String.init) ?? "")</td></tr>
      """
  }
}
