import EntityClient

extension Issue: TrackerItem {
  static var basePath: String { "issue" }
  static var fields: String {
    "title,creation,activity,assignedto,priority,status,keyword,nosy,superseder,messages,files"
  }
}

extension Issue {
  /// Issues with a text in their title.
  nonisolated(nonsending) static func search(_ text: String) async throws -> [EntityID<Issue>] {
    try await pages(
      query: ["title": text, "@fields": fields, "@verbose": verbose, "@sort": "id"], by: TrackerPages(),
      envelope: "data.collection"
    ).all().ids
  }

  /// Adds a message; the tracker wants to be told whose it is.
  nonisolated(nonsending) func comment(_ text: String, by author: User) async throws {
    guard let message = try entityContext?.insert(Message.self) else { return }
    message.content = text
    message.author = author
    try await message.create(with: \.content, \.author)
    try await add([message.uid], to: "messages")
  }
}
