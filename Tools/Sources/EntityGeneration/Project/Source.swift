public import Foundation

/// Where a run reads from.
public enum Source {
  /// Reads a document of JSON or YAML.
  ///
  /// - Throws: ``GenerationError``.
  public static func document(_ url: URL, settings: Settings = Settings()) throws -> Generation {
    let folder = url.deletingLastPathComponent()
    let file = url.lastPathComponent
    let root = try DocumentFiles(root: folder).node(at: file)
    return try Generation(root, file: file, folder: folder, settings: settings)
  }
}
