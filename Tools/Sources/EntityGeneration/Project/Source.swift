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

  /// Reads a document, a HAR file, or recorded answers.
  ///
  /// - Parameters:
  ///   - paths: Absolute, or relative to the folder.
  ///   - at: Of recorded answers: the method and the path, as `GET:/users`.
  /// - Throws: ``GenerationError``.
  static func read(_ paths: [String], at: String?, in folder: URL, settings: Settings) throws -> Generation {
    guard let first = paths.first else {
      throw GenerationError(
        "entity-gen", "Name a document: entity-gen openapi.yaml. \(ProjectFile.name) names none either.")
    }
    let urls = paths.map { URL(filePath: $0, relativeTo: folder).absoluteURL }
    if let at {
      let recording = try Recording(files: urls, at: at)
      return try Generation(recording.document, file: first, folder: folder, settings: settings)
    }
    if paths.count > 1 {
      throw GenerationError("entity-gen", "Several files are recorded answers, and need --at: --at GET:/users.")
    }
    let url = urls[0]
    if url.pathExtension.lowercased() == "har" {
      let root = try DocumentFiles(root: url.deletingLastPathComponent()).node(at: url.lastPathComponent)
      let recording = try Recording(har: root, file: url.lastPathComponent)
      return try Generation(recording.document, file: url.lastPathComponent, folder: folder, settings: settings)
    }
    return try document(url, settings: settings)
  }
}
