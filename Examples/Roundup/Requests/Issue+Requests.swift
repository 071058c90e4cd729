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
      options: .envelope("data.collection")
    ).all().ids
  }

  /// Adds a message; the tracker wants to be told whose it is. A message that the tracker refuses leaves no object
  /// here.
  nonisolated(nonsending) func comment(_ text: String, by author: User) async throws {
    guard let context = entityContext else { throw StoreError(.wrongContext, "The store of the issue is gone.") }
    let message = try context.insert(Message.self)
    message.content = text
    message.author = author
    do {
      try await message.create(with: \.content, \.author)
    } catch {
      if message.isInserted { try context.delete(message) }
      throw error
    }
    try await add([message.uid], to: "messages")
  }
}
