import Adapters
import EntityRequests
import EntityTesting
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The adapters of EntityTesting around others.
extension Scene {
  func checkTestingAdapters(on actor: isolated any Actor) async throws {
    let request = URLRequest(url: server.url)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("isolation-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let inner = BufferingAdapter(fails: mode == .throwing)
    let file = folder.appendingPathComponent("Tests.swift").path
    let recording = try RecordingAdapter("a", around: inner, mode: .record, file: file)
    do {
      _ = try await recording.send(request, body: .none, progress: nil)
      saw("RecordingAdapter.swift send(_:body:progress:)", nil, on: actor)
    } catch { saw("RecordingAdapter.swift send(_:body:progress:)", error, on: actor) }
    let fault = FaultAdapter(inner)
    do {
      _ = try await fault.send(request, body: .none, progress: nil)
      saw("FaultAdapter.swift send(_:body:progress:)", nil, on: actor)
    } catch { saw("FaultAdapter.swift send(_:body:progress:)", error, on: actor) }
    do {
      _ = try await fault.stream(request, body: .none, progress: nil)
      saw("FaultAdapter.swift stream(_:body:progress:)", nil, on: actor)
    } catch { saw("FaultAdapter.swift stream(_:body:progress:)", error, on: actor) }
    let name = "RecordingAdapter+Use.swift use(_:around:mode:order:redaction:file:_:)"
    do {
      try await RecordingAdapter.use("a", around: inner, mode: .record, file: file) { adapter in
        _ = try await adapter.send(request, body: .none, progress: nil)
      }
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}

extension Scene {
  func checkConformance(on actor: isolated any Actor) async {
    let adapter: any RequestAdapter = mode == .throwing ? BufferingAdapter(fails: true) : CurlAdapter()
    let name = "ConformanceCase.swift check(_:within:)"
    do {
      try await ConformanceCase.all.first?.check(adapter)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }
}
