import EntityJSON
import EntityStore
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// One request that names no type, with all that it needs, resolved in the task of the caller; it runs apart from the
/// caller's actor.
///
/// It is the first half of an exchange, ``ResponseFetch``, and the reading that a route of the client leads to.
struct RoutedExchange: Sendable {
  let fetch: ResponseFetch
  let reading: RoutedReading
  /// The number of the request, where there is a store.
  let core: StoreCore?
  let meter: ProgressMeter?

  @concurrent func run() async throws -> RoutedResponse {
    do {
      let sequence = core?.requests.begin(isWrite: fetch.method != .get && fetch.method != .head)
      defer { if let sequence { core?.requests.end(sequence) } }
      let response = try await fetch.send()
      try fetch.check(response, alsoSuccess: try await reading.alsoSuccess(response))
      await reading.endAnswers()
      // The row of an object that the server has deleted goes all the same.
      if fetch.method != .delete { try Task.checkCancellation() }
      do {
        let body = try reading.body(of: response, fetch.reading)
        let result = try await reading.read(response, body, sequence, fetch.reading, meter?.upsertHandler)
        await meter?.finish()
        return result
      } catch var error as RequestError {
        error.response = error.response ?? response
        error.wasAccepted = !fetch.method.isSafe
        throw error
      }
    } catch {
      throw fetch.told(error)
    }
  }
}
