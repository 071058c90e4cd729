import EntityStore
import Foundation

extension Scene {
  func checkArchives(on actor: isolated any Actor) async {
    let archive = mode == .throwing ? Data() : Data(Self.emptyArchive.utf8)
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "isolation-\(UUID().uuidString)")
    let file = folder.appendingPathComponent("archive")
    defer { try? FileManager.default.removeItem(at: folder) }
    if mode != .throwing {
      try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try? archive.write(to: file)
    }
    await hold(on: actor)
    defer { letGo() }
    var name = "EntityStore+Archive.swift archive()"
    do {
      _ = try await store.archive()
      // Nothing that it reads can fail it.
      saw(name, nil, fails: mode == .busy || mode == .cancelled, on: actor)
    } catch { saw(name, error, fails: mode == .busy || mode == .cancelled, on: actor) }
    do {
      name = "EntityStore+Archive.swift archive(to:)"
      try await store.archive(to: file)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      name = "EntityStore+Archive.swift restore(from:discardsPending:)"
      try await store.restore(from: archive, discardsPending: true)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
    do {
      try await store.restore(from: file, discardsPending: true)
      saw(name, nil, on: actor)
    } catch { saw(name, error, on: actor) }
  }

  private static let emptyArchive = """
    {"archive":"EntityClient","format":1,"lastRow":0}
    {"end":0,"checksum":"351666d6"}

    """
}
