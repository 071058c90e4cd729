import EntityClient
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif
#if canImport(SwiftUI)
  import SwiftUI
#else
  import SwiftUIDeclarations
#endif

/// Has one response for each request, and no network.
nonisolated struct PreviewAdapter: RequestAdapter {
  let json: String

  @concurrent func send(
    _ request: URLRequest, body: RequestBody, progress: TransferProgressHandler?
  ) async throws -> HTTPResponse {
    HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], url: request.url, body: Data(json.utf8))
  }
}

@MainActor func notesForPreviews() throws -> Notes {
  let store = try EntityStore(.inMemory, entities: [Note.self])
  let page = PreviewAdapter(
    json: #"{"items": [{"id": 1, "title": "Milk"}, {"id": 2, "title": "Bread"}], "next": null}"#)
  return try Notes(Client(adapter: page, store: store, baseURL: "https://api.example.com"))
}

struct NotePreviews: PreviewProvider {
  static let notes = try? notesForPreviews()  // held, as the app holds its own

  static var previews: some View {
    if let notes { NewestNotes(notes: notes.newest) }
  }
}
