import EntityClient
import EntityTesting
import Foundation
import Testing

/// An entity whose routes are those of the test.
@Entity private final class Waystation {
  @UID @Key("id") var uid: Int
  var name: String?
  var next: Waystation?
}

extension Waystation: RemoteEntity {
  @TaskLocal static var declared: [EntityRoute<Waystation>] = []
  static var basePath: String { "stops" }
  static var routes: [EntityRoute<Waystation>] { declared }
}

/// A client refuses routes of its store's entities that can't be used.
struct EntityRouteCheckTests {
  private func check(_ routes: EntityRoute<Waystation>...) throws {
    try Waystation.$declared.withValue(routes) {
      _ = try Client(
        adapter: StubAdapter(), store: EntityStore(.inMemory, entities: [Waystation.self]),
        baseURL: "https://api.example.com/")
    }
  }

  @Test func `routes that cannot be used are refused`() async throws {
    let cases: [([EntityRoute<Waystation>], String)] = [
      ([.named("a", at: "x//y")], "component 2"), ([.named("a", at: "x"), .named("a", at: "y")], "'a'"),
      ([.relationship(\.name, at: "x")], "relationship"), ([.relationship(\.next, at: "{uid}/{where}")], "'{where}'"),
      ([.relationship(\.next, at: "{next}/x")], "'{next}'"), ([.relationship(\.next, at: "*/x")], "without a name"),
      ([.relationship(\.next, at: "{uid}/**")], "without a name"),
      ([.relationship(\.next, at: "a"), .relationship(\.next, at: "b")], "'next'"),
    ]
    for (routes, text) in cases {
      let error = try await requestError {
        try Waystation.$declared.withValue(routes) {
          _ = try Client(
            adapter: StubAdapter(), store: EntityStore(.inMemory, entities: [Waystation.self]),
            baseURL: "https://api.example.com/")
        }
      }
      #expect(error.kind == .invalidRoute)
      #expect(error.description.contains(text))
      #expect(error.description.contains("'Waystation'"))
    }
  }

  @Test func `routes that can be used are taken`() throws {
    try check(.relationship(\.next, at: "{uid}/{name}/next"), .named("a", at: "{anything}/**"), .named("b", at: "*/#"))
  }
}
