import EntityStore

/// A response with objects that are kept in a store.
protocol KeptResponse: Sendable {
  /// The store that took the response in; `nil` when it has no objects.
  var store: EntityStore? { get }

  /// Notes the unsaved edits of the main context that hide values of the response.
  @MainActor mutating func noteUnsavedEdits()
}

extension KeptResponse {
  @MainActor mutating func noteUnsavedEdits() {}
}

extension EntityResponse: KeptResponse {}
extension RoutedResponse: KeptResponse {}

extension StreamedResponse: KeptResponse {
  var store: EntityStore? { response.store }

  @MainActor mutating func noteUnsavedEdits() { response.noteUnsavedEdits() }
}

/// A caller on the main actor finds the objects of the main context up to date.
enum MainMerge {
  /// Whether an isolation is the main actor.
  ///
  /// It is not inlined: Swift 6.3.1 with -O fails to compile a `nonisolated(nonsending)` function that compares `#isolation`
  /// itself, as ``Request/send(progress:)`` would.
  @inline(never) static func isMain(_ isolation: (any Actor)?) -> Bool { isolation === MainActor.shared }

  /// - Returns: The response, with the unsaved edits of the main context that hide values of it.
  static func merged<Response: KeptResponse>(_ response: Response, _ isolation: (any Actor)?) -> Response {
    merge(response.store, isolation)
    return noted(response, isolation)
  }

  /// The response, with the unsaved edits of the main context that hide values of it, once that has merged it.
  static func noted<Response: Sendable>(_ response: Response, _ isolation: (any Actor)?) -> Response {
    guard isMain(isolation), let kept = response as? any KeptResponse else { return response }
    // As in `merge`: `isolation` is the caller's own, and this is synchronous, so the code below runs on the main actor.
    return MainActor.assumeIsolated {
      var noted = kept
      noted.noteUnsavedEdits()
      return noted as? Response ?? response
    }
  }

  static func merge(_ store: EntityStore?, _ isolation: (any Actor)?) {
    guard let store, isMain(isolation) else { return }
    // `isolation` is the caller's own, and this is synchronous: the code below runs on the main actor. The response is
    // committed, so the request did not fail: an error here comes again at the next read, which throws it.
    MainActor.assumeIsolated { try? store.mergeMain() }
  }
}
