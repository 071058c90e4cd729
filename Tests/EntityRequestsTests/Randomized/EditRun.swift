import EntityClient
import EntityStore
import Foundation
import TestSupport

/// One object that is edited, saved, sent and answered in any order, and the server that it is of: with any number of requests
/// under way, by requests that the store knows and by pending changes that the app sends itself.
///
/// Each property has few values, so that edits return to earlier ones; some runs edit one property only, with two values, and some
/// save each edit, or each second one. The server takes requests one after the other. The last edit of a property is what server and store have in the
/// end, as after the same edits and requests one after the other.
@MainActor final class EditRun<E: AnyTicket> {
  struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  enum Field: String, CaseIterable, CustomStringConvertible {
    case title, note

    var description: String { rawValue }

    /// The form in which the server keeps a value: it trims titles.
    func kept(_ text: String) -> String { self == .title ? text.trimmingCharacters(in: .whitespaces) : text }
  }

  /// A request under way.
  private final class Sent {
    let values: [Field: String]
    let isRead: Bool
    let request: HandSent<E>?
    /// A pending change that the app sends itself.
    let change: PendingChange?
    let number: RequestNumber?
    var answer: JSONValue?
    var isServed = false

    init(
      _ values: [Field: String] = [:], request: HandSent<E>? = nil, change: PendingChange? = nil,
      read number: RequestNumber? = nil
    ) {
      (self.values, self.request, self.change, self.number) = (values, request, change, number)
      isRead = number != nil
    }
  }

  let store: EntityStore
  private(set) var log: [String] = []
  private var random: SeededRandom
  private var object: E
  private var server: [Field: String] = [.title: "a", .note: "a"]
  /// The last edit of each property.
  private var mine: [Field: String] = [:]
  /// The properties of which the answer to a request that carried the last edit has told what the server made of it.
  private var told: Set<Field> = []
  /// The properties that the request carried whose answer came last.
  private var carried: Set<Field> = []
  private let fields: [Field]
  private let values: [String]
  /// Whether no edit is saved at once (0), each one (1), or each second one (2).
  private let saving: Int
  private var underWay: [Sent] = []
  private var main: EntityContext { store.main }

  init(_ seed: UInt64) async throws {
    random = SeededRandom(seed)
    fields = random.chance(2) ? [.title] : Field.allCases
    values = random.chance(2) ? [" a ", "b"] : [" a ", "b", "c"]
    saving = random.below(3)
    store = try EntityStore(.inMemory, entities: [Ticket.self, HandTicket.self], busyTimeout: .seconds(600))
    _ = try await store.receive(E.self, ["id": 1, "title": "a", "note": "a"])
    guard let object = try store.main.fetch(E.self, uid: 1) else { throw Fault("no object") }
    self.object = object
  }

  func run() async throws {
    for _ in 0..<14 {
      try await step()
      try checkObject()
    }
    while !underWay.isEmpty {
      try await advance()
      try checkObject()
    }
    try await settle()
  }

  private func step() async throws {
    switch random.below(10) {
    case 0...2: try await edit()
    case 3: try await editInUnit()
    case 4: try await save()
    case 5, 6: try await send()
    default: try await advance()
    }
  }

  private func value(_ field: Field) -> String {
    // Few: an edit returns to an earlier value in each second case.
    (random.element(values) ?? "b") + (field == .note ? "n" : "")
  }

  private func text(_ field: Field, of object: E) -> String { field == .title ? object.title : object.note ?? "-" }

  private func set(_ field: Field, of object: E, _ text: String) {
    if field == .title { object.title = text } else { object.note = text }
  }

  private func edit() async throws {
    let field = random.element(fields) ?? .title
    let text = value(field)
    // A setter with the value that is there is no edit.
    guard text != self.text(field, of: object) else { return }
    log.append("set \(field) \(text)")
    set(field, of: object, text)
    (mine[field], told) = (text, told.subtracting([field]))
    if saving != 0, random.chance(saving) { try await save() }
  }

  private func editInUnit() async throws {
    let field = random.element(fields) ?? .title
    // Its edit would meet one that is not saved: a conflict is another matter.
    guard !object.hasChanges else { return }
    let (id, text) = (object.entityID, value(field))
    guard text != self.text(field, of: object) else { return }
    log.append("unit \(field) \(text)")
    try await store.background { context in
      guard let object = try context.object(id) else { return }
      if field == .title { object.title = text } else { object.note = text }
    }
    try store.mergeMain()
    (mine[field], told) = (text, told.subtracting([field]))
  }

  private func save() async throws {
    log.append("save")
    // Nobody else edits what is not saved here: there is nothing to conflict with but answers that are the server's.
    try await main.save()
  }

  private func send() async throws {
    guard underWay.count < 4 else { return try await advance() }
    switch random.below(5) {
    case 0:
      // Nothing tells the store when a request of the app's own was sent, so an older read is not known to be older.
      if underWay.contains(where: { $0.change != nil }) { return }
      log.append("read")
      underWay.append(Sent(read: store.core.requests.begin()))
    case 1:
      let changes = try await store.pending.changes(of: E.self)
      // The change has what is saved. An app that sends it after an unsaved edit, by whatever way, wants the saved value.
      guard let change = changes.first, !object.hasChanges,
        !underWay.contains(where: { $0.isRead || $0.answer != nil })
      else { return }
      var values: [Field: String] = [:]
      for edit in change.edits {
        if let field = Field(rawValue: edit.property), let text = edit.value.as(String.self) { values[field] = text }
      }
      log.append("send by hand \(values)")
      underWay.append(Sent(values, change: change))
    default:
      let fields = random.chance(2) ? fields : [random.element(fields) ?? .title]
      let values = Dictionary(uniqueKeysWithValues: fields.map { ($0, text($0, of: object)) })
      log.append("send \(values)")
      // Some are sent twice, as by a timer beside a button.
      for _ in 0..<(random.chance(3) ? 2 : 1) {
        underWay.append(Sent(values, request: HandSent(object, fields.map(\.rawValue), in: store)))
      }
    }
  }

  /// The server takes the oldest request, or an answer comes in.
  private func advance() async throws {
    guard let sent = random.element(underWay) else { return }
    guard sent.isServed else {
      guard let oldest = underWay.first(where: { !$0.isServed }) else { return }
      return serve(oldest)
    }
    underWay.removeAll { $0 === sent }
    carried = []
    log.append("deliver \(sent.values) \(sent.answer?.description ?? "")")
    if let number = sent.number {
      _ = try await store.core.upsert(ResponseUpsert<E>(sent.answer, sequence: number))
      store.core.requests.end(number)
    } else if let change = sent.change {
      try await store.pending.acknowledge(change)
    } else if let request = sent.request {
      carried = Set(Field.allCases.filter { request.carries($0.rawValue) })
      try await request.answer(sent.answer)
    }
    try store.mergeMain()
  }

  private func serve(_ sent: Sent) {
    sent.isServed = true
    for (field, text) in sent.values { server[field] = field.kept(text) }
    let whole: JSONValue = [
      "id": 1, "title": JSONValue(server[.title] ?? ""), "note": JSONValue(server[.note] ?? ""),
    ]
    // Nothing tells the store of a change that the app has sent itself, so that an answer which repeats the present value would end
    // the edit, though that change may have an earlier value.
    let isByHand = underWay.contains { $0.change != nil }
    if sent.isRead || (!isByHand && random.chance(2)) { sent.answer = whole }
    log.append("serve \(sent.values)")
  }

  /// A value that the server has taken is shown as the server keeps it, or as it was set.
  private func agrees(_ text: String, _ field: Field) -> Bool {
    guard let mine = mine[field] else { return true }
    return text == mine || text == field.kept(mine)
  }

  /// The user sees the last edit, whatever answers come.
  private func checkObject() throws {
    for field in Field.allCases {
      let text = text(field, of: object)
      guard agrees(text, field) else { throw Fault("\(field) reads \(text), and was set to \(mine[field] ?? "")") }
      guard let mine = mine[field], field.kept(mine) != mine else { continue }
      if text != mine {
        if carried.contains(field) { told.insert(field) }
      } else if told.contains(field) {
        throw Fault("\(field) reads \(text) again, of which the server has made \(field.kept(mine))")
      }
    }
  }

  /// Sends what is pending, reads, and expects the last edits on both sides.
  private func settle() async throws {
    try checkObject()
    try await main.save()
    for _ in 0..<3 {
      let pending = object.pendingColumns.names.compactMap { Field(rawValue: $0) }
      if pending.isEmpty { break }
      let values = Dictionary(uniqueKeysWithValues: pending.map { ($0, text($0, of: object)) })
      log.append("send the rest \(values)")
      let sent = Sent(values, request: HandSent(object, pending.map(\.rawValue), in: store))
      serve(sent)
      try await sent.request?.answer(sent.answer)
    }
    guard try await store.pending.count() == 0, !object.hasChanges else { throw Fault("edits are pending in the end") }
    _ = try await store.receive(
      E.self, ["id": 1, "title": JSONValue(server[.title] ?? ""), "note": JSONValue(server[.note] ?? "")])
    try store.mergeMain()
    for field in Field.allCases {
      guard let edit = mine[field] else { continue }
      guard server[field] == field.kept(edit), text(field, of: object) == server[field] else {
        throw Fault(
          "\(field) was set to \(edit) last: the server has \(server[field] ?? ""), the store \(text(field, of: object))"
        )
      }
    }
  }
}
