import EntityClient
import EntityTesting
import Foundation
import Testing

/// An entity whose routes are those of the test.
@Entity private final class Halt {
  @UID @Key("id") var uid: Int
  var name: String?
  var next: Halt?
}

extension Halt: RemoteEntity {
  @TaskLocal static var declared: [EntityRoute<Halt>] = []
  static var basePath: String { "stops" }
  static var routes: [EntityRoute<Halt>] { declared }
}

/// A client refuses routes of its store's entities that can't be used.
struct EntityRouteCheckTests {
  private func check(_ routes: EntityRoute<Halt>...) throws {
    try Halt.$declared.withValue(routes) {
      _ = try Client(
        adapter: StubAdapter(), store: EntityStore(.inMemory, entities: [Halt.self]),
        baseURL: "https://api.example.com/")
    }
  }

  @Test func routesThatCantBeUsedAreRefused() async throws {
    let cases: [([EntityRoute<Halt>], String)] = [
      ([.named("a", at: "x//y")], "component 2"), ([.named("a", at: "x"), .named("a", at: "y")], "'a'"),
      ([.relationship(\.name, at: "x")], "relationship"), ([.relationship(\.next, at: "{uid}/{where}")], "'{where}'"),
      ([.relationship(\.next, at: "{next}/x")], "'{next}'"), ([.relationship(\.next, at: "*/x")], "without a name"),
      ([.relationship(\.next, at: "{uid}/**")], "without a name"),
      ([.relationship(\.next, at: "a"), .relationship(\.next, at: "b")], "'next'"),
    ]
    for (routes, text) in cases {
      let error = try await requestError {
        try Halt.$declared.withValue(routes) {
          _ = try Client(
            adapter: StubAdapter(), store: EntityStore(.inMemory, entities: [Halt.self]),
            baseURL: "https://api.example.com/")
        }
      }
      #expect(error.kind == .invalidRoute)
      #expect(error.description.contains(text))
      #expect(error.description.contains("'Halt'"))
    }
  }

  @Test func routesThatCanBeUsedAreTaken() throws {
    try check(.relationship(\.next, at: "{uid}/{name}/next"), .named("a", at: "{anything}/**"), .named("b", at: "*/#"))
  }
}
