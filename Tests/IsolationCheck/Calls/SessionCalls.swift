import EntityRequests
import Foundation
import SessionAdapter

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Foundation's client, whole and piece by piece.
extension Scene {
  func checkSession(on actor: isolated any Actor) async {
    let request = URLRequest(url: server.url)
    let adapter = URLSessionAdapter()
    var name = "URLSessionAdapter.swift send(_:body:progress:)"
    do {
      _ = try await adapter.send(request, body: .none) { _ in }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    name = "URLSessionAdapter.swift stream(_:body:progress:)"
    do {
      let response = try await adapter.stream(request, body: .none) { _ in }
      saw(name, nil, on: actor)
      name = "StreamedHTTPResponse.next"
      while try await response.next() != nil { saw(name, nil, on: actor) }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
