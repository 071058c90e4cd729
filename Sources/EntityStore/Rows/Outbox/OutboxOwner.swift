// The owner of a store's outbox: the file and the account whose changes are sent.

/// The file and the account that an outbox sends for.
package struct OutboxOwner: Sendable, Equatable {
  /// The identity of the file. A copy of the file has another one.
  package var file: String
  /// A hash of the account's name; empty where the client names no account.
  package var account: String

  package init(file: String, account: String) { (self.file, self.account) = (file, account) }
}

extension RowOutbox {
  private static let keys = (file: "outbox_file", account: "outbox_account")

  /// The owner that the file names; `nil` before the first claim.
  package func owner() throws -> OutboxOwner? {
    guard case .text(let file) = try HistoryTables.value(Self.keys.file, connection),
      case .text(let account) = try HistoryTables.value(Self.keys.account, connection)
    else { return nil }
    return OutboxOwner(file: file, account: account)
  }

  /// Whether the file's changes are those of an account, or of nobody yet.
  package func belongs(to account: String) throws -> Bool { try owner().map { $0.account == account } ?? true }

  package func setOwner(_ owner: OutboxOwner) throws {
    try HistoryTables.set(Self.keys.file, .text(owner.file), on: connection)
    try HistoryTables.set(Self.keys.account, .text(owner.account), on: connection)
  }

  /// The changes of the file belong to nobody.
  func endOwner() throws {
    try connection.prepare("DELETE FROM main._entity_store WHERE key IN (?, ?)")
      .run([.text(Self.keys.file), .text(Self.keys.account)])
  }

  /// The identity of the file.
  package func fileIdentity() throws -> String { try HistoryTables.identity(connection) ?? "" }
}
