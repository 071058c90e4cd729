import EntityRequests
import EntityStore
import Foundation

/// The last requests of the client, the newest first.
struct RequestsPage: Page {
  let requests: [RequestLine]

  var title: String { "Requests" }
  var current: String? { "requests" }

  init(_ log: RequestLog) { requests = log.entries.map(RequestLine.init) }

  var content: HTML {
    let head = [
      "request", "at", "", "URL", "status", "time", "bytes", "objects", "inserted", "updated", "skipped", "commit",
    ]
    return HTML.table("requests", head: head, rows: requests.map(Self.row))
  }

  private static func row(_ line: RequestLine) -> HTML {
    let commits: [HTML] = line.commits.prefix(3).map { "\(HTML.link("\($0)", .commit($0))) " }
    let outcome: HTML =
      line.failure.map { "<span class=\"problem\" title=\"\($0)\">\(line.status ?? "failed")</span>" }
      ?? "\(line.status ?? "")"
    return """
      <tr data-key="\(line.number)"><td class="number"><a class="row" href="\(PageLink(["requests", "\(line.number)"]))">\
      \(line.number)</a></td><td title="\(line.began)">\(ValueText.clock(line.began))</td><td>\(line.method)</td><td class="url" title="\(line.url)">\(line.url)</td>\
      <td>\(outcome)</td><td class="number">\(line.milliseconds) ms</td>\
      <td class="number">\(line.bytes.map(String.init) ?? "")</td>\
      <td class="number">\(line.entity == nil ? "" : "\(line.objects)")</td><td class="number">\(line.inserted)</td>\
      <td class="number">\(line.updated)</td><td class="number">\(line.skipped)</td><td>\(commits)</td></tr>
      """
  }
}

/// The line of a request in a list.
struct RequestLine: Encodable {
  let number: Int
  let began: String
  let method: String
  let url: String
  let status: String?
  let milliseconds: Int
  let bytes: Int?
  let entity: String?
  let objects: Int
  let inserted: Int
  let updated: Int
  let unchanged: Int
  let deleted: Int
  let skipped: Int
  let commits: [Int64]
  let failure: String?

  init(_ entry: RequestLog.Entry) {
    let report = entry.report
    number = entry.number
    began = ValueText.date(report.began.timeIntervalSince1970)
    (method, url) = (report.method, report.url)
    status = report.isFromStore ? "from the store" : report.status.map(String.init)
    milliseconds = report.duration.wholeMilliseconds
    (bytes, entity, objects) = (report.bodySize, report.entity, report.objects)
    let counts = report.counts
    (inserted, updated) = (counts?.inserted ?? 0, counts?.updated ?? 0)
    (unchanged, deleted) = (counts?.unchanged ?? 0, counts?.deleted ?? 0)
    (skipped, commits, failure) = (report.skippedCount, report.generations, report.failure)
  }
}

extension Duration {
  /// Rounded.
  var wholeMilliseconds: Int { Int((self / .milliseconds(1)).rounded()) }
}
