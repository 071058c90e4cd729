import EntityClient
import Foundation
import TestSupport

// The main context against the server.

extension OverlapRun {
  /// Checks the rules that hold at any time.
  func check() throws {
    let rows = try main.fetch(E.all)
    for object in rows { objects[object._$state.pk] = object }
    let pks = Set(rows.map(\._$state.pk))
    for (pk, object) in objects where !pks.contains(pk) {
      guard object.isDeleted else { throw Difference("row \(pk) is not found") }
      let isGone = deleted.contains(object.uid) || object.forwardedTo != nil || saved[pk]?.isEmpty != false
      if edits[pk] != nil, !isGone { throw Difference("row \(pk) was edited, and is deleted") }
      if object.hasChanges { try main.rollback(object) }
      (objects[pk], edits[pk]) = (nil, nil)
      unposted.remove(pk)
    }
    var seen: Set<Int> = []
    for object in rows {
      let pk = object._$state.pk
      for field in Field.allCases {
        let text = text(of: object, field)
        if let edit = edits[pk]?[field] {
          guard text == edit else { throw Difference("row \(pk): the edit of the \(field) is lost: \(text ?? "nil")") }
        } else if !unposted.contains(pk) {
          let possible = server.texts(object.uid, field, since: floors[object.uid]?[field] ?? 0)
          guard possible.contains(text?.lowercased()) else {
            throw Difference("row \(pk): an acknowledged \(field) is lost: \(text ?? "nil")")
          }
        }
      }
      guard unposted.contains(pk) || seen.insert(object.uid).inserted else {
        throw Difference("two rows of \(object.uid)")
      }
    }
  }

  /// Checks the rules that hold after a read of everything, with no other request under way.
  func compare() throws {
    var missing = Set(server.records.keys)
    for object in try main.fetch(E.all) where !unposted.contains(object._$state.pk) {
      let pk = object._$state.pk
      missing.remove(object.uid)
      guard let record = server.records[object.uid] else {
        if saved[pk]?.isEmpty != false { throw Difference("row \(pk) is not on the server") }
        continue
      }
      let isSame =
        (edits[pk]?[.title] != nil || object.title == record.title)
        && (edits[pk]?[.note] != nil || object.note == record.note)
        && object.version == record.version && object.parentUID == record.parent
      guard isSame else {
        throw Difference("row \(pk): \(object.title), \(object.note ?? "nil"), \(object.version) for \(record)")
      }
    }
    guard missing.isEmpty else { throw Difference("\(missing) are not in the store") }
  }
}
