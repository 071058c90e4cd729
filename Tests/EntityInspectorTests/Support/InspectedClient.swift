import EntityClient
import EntityInspector
import EntityTesting
import Foundation

@Entity final class Visitor {
  @UID @Key("id") var uid: Int
  var name: String
  var remark: String?
}

extension Visitor: RemoteEntity {
  static var basePath: String { "visitors" }
}

@Entity final class Counter {
  @UID @Key("id") var uid: Int
  var name: String
}

extension Counter: OutboxEntity {
  static var basePath: String { "counters" }
}

@Entity final class Ticket {
  @UID @Key("id") var uid: Int
  var text: String
  var counter: Counter
}

extension Ticket: OutboxEntity {
  static var basePath: String { "tickets" }
}

/// A client with a store in memory and a stub for a server, an inspector of it, and a browser that has opened the inspector's URL.
final class InspectedClient: Sendable {
  let store: EntityStore
  let stub = StubAdapter()
  let client: Client
  let inspector: Inspector
  let browser: RawBrowser

  init(headers: HTTPHeaders = [:]) throws {
    var options = StoreOptions()
    (options.history, options.author) = (.keepingAll, "app")
    store = try EntityStore(.inMemory, entities: [Visitor.self, Counter.self, Ticket.self], options: options)
    client = try Client(adapter: stub, store: store, baseURL: "https://api.example.com/", headers: headers)
    inspector = try Inspector.start(client)
    browser = try RawBrowser(inspector.url)
  }

  deinit { inspector.stop() }

  /// Asks until the app answers: on a machine with much to do it may not within a second.
  func html(_ path: String) async throws -> String {
    while true {
      let page = try await browser.app(path)
      if !page.contains("did not answer within a second") { return page }
    }
  }

  func page(_ path: String) async throws -> JSONValue { try JSONValue(parsing: Data(try await html(path).utf8)) }
}
