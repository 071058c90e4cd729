package import Foundation

extension StoreCore {
  /// The role of the sender of the store's changes; `nil` where another sender has it.
  package func takeSenderRole() throws -> SenderRole? { try SenderRole.take(location) }

  /// The folder beside the store's file for the files that the outbox is yet to upload; `nil` in memory.
  package var attachmentFolder: URL? {
    location.fileURL.map { URL(filePath: $0.resolvingSymlinksInPath().path + SenderRole.attachments) }
  }

  /// An answer to a request of an earlier process ends edits: edits that are made meanwhile are told apart.
  package func hear(_ sent: SentEdits) {
    underWay.add(sent.marker, of: RowKey(entity: sent.entity, pk: sent.pk))
    for member in sent.embedded.flatMap({ $0.members + $0.removed }) { hear(member) }
  }
}

extension ContextPendingEdits {
  /// The uid of an object that was deleted here; `nil` where the object was not.
  package func deletedUID(_ key: RowKey) throws -> StoredValue? {
    try context.connection.rows(
      "SELECT uid FROM \(Tombstones.table) WHERE entity = ? AND pk = ?",
      [.text(context.core.schema.entities[key.entity].name), .integer(key.pk)]
    ) { $0.value(0) }.first
  }
}

extension ContextPendingEdits {
  /// The values that the URL of a deleted object has beside the uid; `nil` where none is known.
  package func deletedAddress(_ key: RowKey) throws -> ObjectAddress? {
    try context.connection.rows(
      "SELECT address FROM \(Tombstones.table) WHERE entity = ? AND pk = ?",
      [.text(context.core.schema.entities[key.entity].name), .integer(key.pk)]
    ) { $0.text(0).flatMap { ObjectAddress($0) } }.first ?? nil
  }

  /// The uid of the object that was deleted here and has an address.
  package func deletedUID<E: ManagedEntity>(_ type: E.Type, at address: ObjectAddress) throws -> StoredValue? {
    guard let text = address.text else { return nil }
    return try context.connection.deletedUID(context.core.schema.model(type), at: text)
  }
}

extension ManagedEntity {
  /// The properties that were set, and are not saved yet.
  package var unsavedColumns: ColumnMask { _$state.unsavedEdits }
}

// MARK: Conflicts

extension ConflictPolicy {
  /// The rule for responses that meet local edits. A policy that fails a save holds the edit for a person.
  package func answerRule(_ schema: SchemaModel) -> AnswerMerging.Rule {
    AnswerMerging.Rule(
      end: { meeting in
        let policy = policy(of: meeting.model, meeting.index)
        guard meeting.conflict.mine != meeting.conflict.theirs || policy.isFunction else { return .theirs }
        if let attribute = policy.newest(of: meeting.model) { return try meeting.later(by: attribute) }
        return switch try policy.resolve(meeting.conflict).choice {
        case .mine: .mine
        case .theirs: .theirs
        case .fail: .held
        case .value(let value): .value(try schema.storedValue(value, meeting.model, meeting.index))
        }
      }, yieldsToDeletion: yieldsToDeletion)
  }
}

extension AnswerMerging.Meeting {
  /// The later one of the edit and the server's change; the edit where one of the times is not known.
  fileprivate func later(by attribute: Int) throws -> AnswerMerging.End {
    guard let edited, case .real(let changed)? = try serverValue(attribute) else { return .mine }
    return edited > changed ? .mine : .theirs
  }
}

extension RowOutbox {
  /// Ends a conflict as a person says. ``Conflict/Resolution/fail`` leaves it as it is.
  package func settle(_ conflict: Conflict, _ resolution: Conflict.Resolution) throws {
    guard let model = schema.entity(ofTable: conflict.entity), let index = model.index(of: conflict.property) else {
      return
    }
    let key = RowKey(entity: model.number, pk: conflict.id.pk)
    guard try rows.edits.isEdited(model, key.pk, index) else { return try endConflicts(of: key, [conflict.property]) }
    switch resolution.choice {
    case .mine: break
    case .theirs: try discardEdit(index, of: key)
    case .value(let value): try setEdit(try schema.storedValue(value, model, index), index, of: key)
    case .fail: return
    }
    try endConflicts(of: key, [conflict.property])
  }
}
