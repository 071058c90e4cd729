import EntityClient
import EntityTesting
import Foundation
import SampleSchema
import Synchronization
import Testing

extension Trait where Self == ClientTrait {
  /// A client with the sample entities and `Specimen`.
  static var sample: Self { sample() }

  static func sample(
    baseURL: String = "https://api.example.com/", headers: HTTPHeaders = [:], envelope: Envelope? = nil,
    _ routes: @escaping @Sendable (StubAdapter) -> Void = { _ in }
  ) -> Self {
    .client(
      entities: sampleEntities + [Specimen.self], baseURL: baseURL, headers: headers,
      envelope: envelope, routes)
  }
}

/// The error of a request that must fail with one.
func requestError<R>(
  sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> R
) async throws -> RequestError {
  do {
    _ = try await body()
  } catch let error as RequestError {
    return error
  }
  throw NoError()
}

struct NoError: Error {}

/// A list that threads append to.
final class Recorder<Element: Sendable>: Sendable {
  private let elements = Mutex([Element]())
  func add(_ element: Element) { elements.withLock { $0.append(element) } }
  var all: [Element] { elements.withLock { $0 } }
}
