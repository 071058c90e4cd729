import EntityRequests
import EntityStore

/// One request: the parts of its time, and what the store took of its response.
struct RequestPage: Page {
  /// A part of the time, in milliseconds since the beginning of the exchange.
  struct Phase: Encodable {
    let name: String
    let start: Int
    let length: Int
  }

  struct Skipped: Encodable {
    let reason: String
    let text: String
    let object: ObjectLink?
  }

  let request: RequestLine
  let phases: [Phase]
  let skipped: [Skipped]
  let unrecognized: [String]
  let objects: [ObjectLink]
  /// How many objects and skipped changes the page leaves out.
  let left: [String: Int]
  let transport: String?
  /// The request and the response without secrets; `nil` where later requests have taken their place.
  let messages: ShownMessages?

  var title: String { "\(request.method) \(request.url)" }
  var current: String? { "requests" }

  private static let mostSkipped = 200
  private static let mostObjects = 50

  init(_ entry: RequestLog.Entry, _ reader: StoreFileReader) throws {
    let report = entry.report
    request = RequestLine(entry)
    phases = Self.phases(report)
    skipped = try report.skipped.prefix(Self.mostSkipped).map { change in
      Skipped(
        reason: "\(change.reason)", text: "\(change)",
        object: try change.id.map { try reader.object(change.entity, $0.pk) })
    }
    unrecognized = report.unrecognized.map { "\($0.entity).\($0.property): \($0.value) (\($0.count))" }
    objects = try report.pks.prefix(Self.mostObjects).map { try reader.object(report.entity ?? "", $0) }
    left = [
      "objects": max(0, report.pks.count - Self.mostObjects),
      "skipped": max(0, report.skipped.count - Self.mostSkipped),
    ]
    transport = report.metrics?.summary
    messages = entry.messages.map(ShownMessages.init)
  }

  /// The waterfall. The transport measures from its own call on; what comes after it is the reading and the commit.
  private static func phases(_ report: ExchangeReport) -> [Phase] {
    let whole = report.duration.wholeMilliseconds
    guard let metrics = report.metrics else { return [Phase(name: "exchange", start: 0, length: whole)] }
    var phases: [Phase] = []
    var place = 0
    func add(_ name: String, _ length: Duration?) {
      guard let length = length?.wholeMilliseconds, length > 0 else { return }
      phases.append(Phase(name: name, start: place, length: length))
      place += length
    }
    add("waiting for a connection", metrics.waiting)
    add("name", metrics.nameResolution)
    add("connection", metrics.connection)
    add("TLS", metrics.tls)
    if let first = metrics.firstByte { add("server", first - .milliseconds(place)) }
    if let total = metrics.total { add("body", total - .milliseconds(place)) }
    add("reading and store", report.duration - .milliseconds(place))
    return phases
  }
}

extension RequestPage {
  var content: HTML {
    let failure: HTML? = request.failure.map(HTML.problem)
    let facts: [(String, String)] = [
      ("status", request.status ?? "none"), ("begun", request.began),
      ("bytes of the body", request.bytes.map(String.init) ?? ""),
      ("transport", transport ?? ""), ("objects", "\(request.objects) \(request.entity ?? "")"),
      ("inserted", "\(request.inserted)"), ("updated", "\(request.updated)"), ("unchanged", "\(request.unchanged)"),
      ("deleted", "\(request.deleted)"), ("skipped", "\(request.skipped)"),
    ]
    let commits: [HTML] = request.commits.map { "\(HTML.link("commit \($0)", .commit($0))) " }
    return """
      \(failure)\(HTML.facts(facts))<p class="bar">\(commits)</p><h2>Time</h2>\(waterfall)
      \(messages?.html ?? .note("The messages of this request are not kept: those of later requests have taken their place."))
      <h2>Skipped</h2>\(HTML.table("skipped", head: ["reason", "object", "change"], rows: skipped.map(Self.row)))\(note("skipped", "changes"))
      \(HTML.list("Unrecognized values", unrecognized.map { "\($0)" as HTML }))
      \(HTML.list("Objects", objects.map { HTML.link($0) }))\(note("objects", "objects"))
      """
  }

  private static func row(_ skipped: Skipped) -> HTML {
    let object: HTML? = skipped.object.map { .link($0) }
    return "<tr><td>\(skipped.reason)</td><td>\(object)</td><td class=\"wide\">\(skipped.text)</td></tr>"
  }

  private func note(_ part: String, _ noun: String) -> HTML? {
    guard let count = left[part], count > 0 else { return nil }
    return .note("\(count) more \(noun) are not shown.")
  }

  private var waterfall: HTML {
    let width = 600
    let whole = max(1, phases.map { $0.start + $0.length }.max() ?? 1)
    let bars: [HTML] = phases.enumerated().map { number, phase in
      """
      <rect class="bar" x="\(phase.start * width / whole)" y="\(number * 20 + 3)" \
      width="\(max(1, phase.length * width / whole))" height="14"/>\
      <text x="\(width + 8)" y="\(number * 20 + 14)">\(phase.name), \(phase.length) ms</text>
      """
    }
    return """
      <svg viewBox="0 0 \(width + 240) \(phases.count * 20 + 4)" width="\(width + 240)" role="img" \
      aria-label="The parts of the time">\(bars)</svg>
      """
  }
}
