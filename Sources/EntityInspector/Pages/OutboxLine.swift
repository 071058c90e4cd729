import EntityJSON
import EntityRequests
import EntityStore
import Foundation

/// An entry of the outbox, as the file has it: claims, commands, refusals, conflicts and objects that the server deleted.
struct OutboxLine: Encodable {
  let number: Int64
  let object: ObjectLink
  let kind: String
  let state: String
  /// The name of a command.
  let name: String?
  /// Method and URL, without the values of its query; `nil` where none was made yet.
  let request: String?
  /// The properties that the request carries.
  let properties: [String]
  let attempts: Int64
  let since: String
  /// The earliest time of the next try; `nil` for at once, and for one that a person settles.
  let next: String?
  let status: Int64?
  /// Why the request failed: a text for a person.
  let reason: String?
  /// Why the entry waits, as far as the file says.
  let why: String

  static let head = [
    "entry", "object", "does", "state", "why", "carries", "attempts", "since", "next try", "status", "reason",
  ]

  /// - Parameter object: The object whose entries are read; `nil` for all.
  static func all(
    _ reader: StoreFileReader, of object: (entity: String, pk: Int64)? = nil, most: Int
  ) throws -> (lines: [OutboxLine], isCut: Bool) {
    let condition = object == nil ? "" : "WHERE entity = ? AND pk = ? "
    let found = try reader.rows(
      "SELECT number, entity, pk, kind, state, name, substr(request, 1, 20000), substr(sent, 1, 20000), attempts, time, "
        + "next, status, substr(problem, 1, 1000) FROM main._entity_outbox \(condition)ORDER BY number",
      object.map { [.text($0.entity), .integer($0.pk)] } ?? [], within: .init(rows: most))
    return (try found.rows.map { try OutboxLine($0, reader) }, found.cut != nil)
  }

  private init(_ row: [StoredValue], _ reader: StoreFileReader) throws {
    number = row[0].integer ?? 0
    object = try reader.object(row[1].string ?? "", row[2].integer ?? 0)
    let kind = row[3].integer.flatMap(OutboxEntry.Kind.init)
    self.kind = kind.map { "\($0)" } ?? "unknown"
    let state = row[4].integer.flatMap(OutboxEntry.State.init)
    self.state = state.map { "\($0)" } ?? "unknown"
    (name, request) = (row[5].string, row[6].string.flatMap(Self.request))
    properties = OutboxEntry.properties(in: row[7].string)
    attempts = row[8].integer ?? 0
    since = row[9].number.map(ValueText.date) ?? ""
    let time = row[10].number
    next = time.flatMap { $0.isFinite ? ValueText.date($0) : nil }
    (status, reason) = (row[11].integer, row[12].string)
    let isEditable = kind == .create || kind == .update
    why =
      state == .refused && next == nil && !isEditable
      ? "a person retries or drops it"
      : Self.why(state, isSent: attempts > 0, triesAgain: next != nil, isHeld: time == .infinity)
  }

  /// The text of the file is JSON, with further fields.
  private static func request(_ text: String) -> String? {
    guard let json = try? JSONValue(parsing: Data(text.utf8)), let method = json["method"]?.string,
      let url = json["url"]?.string.flatMap({ URL(string: $0) })
    else { return nil }
    return "\(method) \(url.shown)"
  }

  private static func why(_ state: OutboxEntry.State?, isSent: Bool, triesAgain: Bool, isHeld: Bool) -> String {
    switch state {
    case .sending where isHeld: "the server may have it; a person confirms or drops it"
    case .sending where triesAgain: "the server fails at it, and the same request is tried again"
    case .sending: "its request may have reached the server, and its end is not known yet"
    case .waiting where triesAgain: "it is sent at the time of the next try"
    case .waiting: isSent ? "it is sent again" : "it was not sent yet"
    case .refused where triesAgain: "the server refused it, and it is tried again"
    case .refused: "a person edits, retries or drops it"
    case .conflict: "a person decides between the value here and the server's"
    case .gone: "the server has no such object any more; a person restores or drops the change"
    case nil: "the entry is of another version of the package"
    }
  }

  var html: HTML {
    """
    <tr><td class="number">\(number)</td><td>\(HTML.link(object))</td><td title="\(request ?? "")">\(kind) \(name ?? "")</td>\
    <td data-key="outbox.\(number)">\(state)</td><td class="wide">\(why)</td><td class="wide">\(properties.joined(separator: ", "))</td>\
    <td class="number">\(attempts)</td><td>\(since)</td><td>\(next ?? "")</td>\
    <td class="number">\(status.map(String.init) ?? "")</td><td class="wide">\(reason ?? "")</td></tr>
    """
  }
}
