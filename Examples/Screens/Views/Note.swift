import EntityClient
import Foundation

@Entity final class Note: OutboxEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var text: String?

  static var basePath: String { "notes" }
  static let newest = StoredCollection<Note>(get: "newest", pages: .cursor("next"), options: .envelope("items"))
}

/// All that the screens share. The app makes it once, at launch, and holds it.
@MainActor final class Notes {
  let store: EntityStore
  let newest: LiveResource<Note>
  let outbox: LiveOutbox

  init(_ client: Client) throws {
    try Client.install(client, replacing: true)
    store = try client.store
    newest = try LiveResource(Note.newest)
    let outbox = try Outbox(client)
    outbox.start()
    self.outbox = LiveOutbox(outbox)
  }
}
