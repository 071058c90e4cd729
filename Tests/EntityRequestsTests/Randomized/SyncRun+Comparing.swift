import EntityClient
import EntityStore
import Foundation
import TestSupport

// The store against the server, during the run and at its end.

extension SyncRun {
  func check(after sent: Sent? = nil) async throws {
    try store.mergeMain()
    let found = try await store.read { context in
      try context.fetch(Tally.self).map { tally in
        (
          id: tally.entityID, uid: tally.hasUID ? tally.uid : nil,
          values: Dictionary(uniqueKeysWithValues: TallyField.allCases.map { ($0, tally.text($0)) })
        )
      }
    }
    let rows = Dictionary(uniqueKeysWithValues: found.map { ($0.id.pk, $0) })
    for item in items where !item.isDeleted && rows[item.object.entityID.pk] == nil {
      guard item.pending.isEmpty, !item.isNew else {
        throw Fault("row \(item.object.entityID.pk) is lost with its edits")
      }
      if item.object.hasChanges { try main.rollback(item.object) }
      items.removeAll { $0 === item }
    }
    let isPosting = underWay.contains { $0.request.method == .post }
    for (pk, row) in rows where !items.contains(where: { $0.object.entityID.pk == pk && !$0.isDeleted }) {
      if let uid = row.uid, items.contains(where: { $0.isDeleted && $0.uid == uid }) {
        throw Fault("tally \(uid) is back before the server heard of its deletion")
      }
      if let uid = row.uid, let deletion = gone[uid], let sent, sent.number < deletion {
        throw Fault("tally \(uid) is back by an answer that is older than its deletion")
      }
      guard let object = try main.object(row.id) else { throw Fault("row \(pk) is not in the main context") }
      let item = Item(object, uid: row.uid, isNew: false)
      item.isDoubtful = isPosting
      items.append(item)
    }
    guard Set(found.compactMap(\.uid)).count == found.compactMap(\.uid).count else { throw Fault("a uid twice") }
    for item in items where !item.isDeleted {
      let row = rows[item.object.entityID.pk]
      for (field, value) in item.pending where row?.values[field] != value {
        throw Fault(
          "row \(item.object.entityID.pk): the edit of \(field) is lost: \(row?.values[field] ?? ""), not \(value)")
      }
      for (field, edit) in item.unsaved where item.object.text(field) != edit.mine {
        throw Fault("row \(item.object.entityID.pk): the unsaved edit of \(field) is lost: \(item.object.text(field))")
      }
    }
    try await comparePending()
  }

  func comparePending() async throws {
    var expected: [String] = []
    for item in items {
      if item.isDeleted {
        expected.append("deletion \(item.uid ?? 0)")
      } else if item.isNew || !item.pending.isEmpty {
        let edits = item.pending.map { "\($0.key)=\($0.value)" }.sorted()
        expected.append("\(item.isNew ? "insert" : "edit") \(item.object.entityID.pk) \(edits)")
      }
    }
    let found = try await store.pending.changes(of: Tally.self).map { change in
      let edits = change.edits.map { "\($0.property)=\(Self.text($0.value))" }.sorted()
      return change.kind == .deletion ? "deletion \(change.uid ?? "0")" : "\(change.kind) \(change.id.pk) \(edits)"
    }
    guard found.sorted() == expected.sorted() else {
      throw Fault("pending are \(found.sorted()), not \(expected.sorted())")
    }
  }

  static func text(_ value: PendingValue) -> String {
    switch value {
    case .attribute(.text(let text)): text
    case .attribute(.integer(let integer)): String(integer)
    default: "-"
    }
  }

  /// Sends all that is pending, reads all, and expects the server's tallies and nothing else.
  func settle() async throws {
    try await save(.mine)
    for item in items {
      let isPending = item.isDeleted || item.isNew || !item.pending.isEmpty
      guard isPending else { continue }
      try await send(item, isPatch: true, deletes: false)
      try await advanceToTheEnd()
      guard items.contains(where: { $0 === item }), !item.isDeleted, !item.pending.isEmpty, let uid = item.uid,
        server.tallies[uid] == nil
      else { continue }
      // The server has it no more: the app gives up.
      note("give up \(uid)")
      try main.delete(item.object)
      item.isDeleted = true
      item.pending = [:]
      try await save(.mine)
      try await send(item, isPatch: true, deletes: false)
      try await advanceToTheEnd()
    }
    try await begin { _ = try await Tally.get(options: .deleteMissing(in: Tally.all)) }
    try await advanceToTheEnd()
    guard try await store.pending.count() == 0 else { throw Fault("changes are pending in the end") }
    let found = try await store.read { context in
      try context.fetch(Tally.self).map { tally in
        (tally.uid, Dictionary(uniqueKeysWithValues: TallyField.allCases.map { ($0, tally.text($0)) }))
      }
    }
    guard Dictionary(found, uniquingKeysWith: { first, _ in first }) == server.tallies,
      found.count == server.tallies.count
    else { throw Fault("the store has \(found), and the server \(server.tallies)") }
  }

  func advanceToTheEnd() async throws {
    while !underWay.isEmpty { try await advance(losing: false) }
  }
}
