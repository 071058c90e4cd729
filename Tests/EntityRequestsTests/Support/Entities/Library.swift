import EntityClient
import Foundation

// A small schema for the tests of the mapping.

/// Mapped by its declared properties.
@Entity final class Book: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var pages: Int
  var publishedAt: Date?
  @Key("publisher.city") var city: String?
  var author: Author?
  var cover: Cover?
  @Relationship(inverse: \Chapter.book, onDelete: .cascade) var chapters: [Chapter]

  static var basePath: String { "books" }
}

/// Updated by hand, and refers to another author.
@Entity final class Author: RemoteEntity {
  @UID @Key("uid") var uid: String
  var name: String?
  var mentor: Author?
  var cover: Cover?

  static var basePath: String { "authors/" }

  func update(with response: ResponseObject) throws {
    if let name = try response.value("name", as: String.self) { self.name = "by hand: \(name)" }
    try response.assign("mentor", to: &mentor)
    if response.contains("portrait") { cover = try response.upsert(Cover.self, from: "portrait") }
  }
}

/// Has no uid: it lives in its parent.
@Entity final class Cover {
  var color: String?
}

@Entity final class Chapter: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var book: Book?

  static var basePath: String { "chapters" }
}

/// A store of the library, in memory.
func library() throws -> EntityStore {
  try EntityStore(
    .inMemory, entities: [Book.self, Author.self, Cover.self, Chapter.self], busyTimeout: .seconds(60))
}

extension EntityStore {
  /// Upserts as a response does.
  func receive<E: RemoteEntity>(
    _ type: E.Type, _ value: JSONValue, _ change: (inout ResponseUpsert<E>) -> Void = { _ in }
  ) async throws -> ResponseOutcome<E> {
    let number = core.requests.begin()
    defer { core.requests.end(number) }
    var request = ResponseUpsert<E>(value, sequence: number)
    change(&request)
    return try await upsert(request)
  }
}
