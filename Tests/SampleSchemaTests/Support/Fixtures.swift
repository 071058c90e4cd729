import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Testing

// A project copies this to test its own entities: a store in memory for each test, and JSON from files.

extension Trait where Self == ClientTrait {
  /// A fresh store in memory, and a stub in place of the network.
  static func api(_ routes: @escaping @Sendable (StubAdapter) -> Void = { _ in }) -> Self {
    .client(entities: sampleEntities, routes)
  }
}

/// The bytes of a file in `Fixtures`.
func fixture(_ name: String) throws -> Data {
  let url = try #require(Bundle.module.url(forResource: name, withExtension: "json", subdirectory: "Fixtures"))
  return try Data(contentsOf: url)
}

extension StubAnswer {
  /// A file in `Fixtures` as the answer.
  static func fixture(_ name: String, status: Int = 200) -> StubAnswer {
    .respond { request in
      HTTPResponse(
        status: status, headers: ["Content-Type": "application/json"], url: request.url,
        body: try SampleSchemaTests.fixture(name))
    }
  }
}

// Swift Testing has types of these names, too.
typealias Comment = SampleSchema.Comment
typealias Tag = SampleSchema.Tag
