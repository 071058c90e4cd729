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

// Swift Testing has types of these names, too.
typealias Comment = SampleSchema.Comment
typealias Tag = SampleSchema.Tag
