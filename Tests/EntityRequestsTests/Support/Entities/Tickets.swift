import EntityClient
import EntityTesting
import Testing

// Objects that a server numbers and counts the versions of, mapped by declaration and by hand.

@Entity final class Ticket: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var note: String?
  /// The server's alone.
  var version: Int
  var parent: Ticket?

  static var basePath: String { "tickets" }
}

@Entity final class HandTicket: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String
  var note: String?
  var version: Int
  var parent: HandTicket?

  static var basePath: String { "handtickets" }

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    try response.assign("note", to: &note)
    try response.assign("version", to: &version)
    try response.assign("parent", to: &parent)
  }
}

/// The members of both kinds of tickets that the tests use.
protocol AnyTicket: RemoteEntity {
  var uid: Int { get set }
  var title: String { get set }
  var note: String? { get set }
  var version: Int { get set }
  var parentUID: Int? { get }
}

extension Ticket: AnyTicket { var parentUID: Int? { parent?.uid } }
extension HandTicket: AnyTicket { var parentUID: Int? { parent?.uid } }

extension AnyTicket {
  var body: JSONValue { ["title": JSONValue(title), "note": note.map { JSONValue($0) } ?? nil] }
}

extension Trait where Self == ClientTrait {
  static var tickets: Self { .client(entities: [Ticket.self, HandTicket.self]) }
}
