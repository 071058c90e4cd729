import Foundation

/// Where a run reads from.
enum Source {
  /// Reads a document of JSON or YAML.
  ///
  /// - Throws: ``GenerationError``.
  static func document(
    _ url: URL, settings: Settings = Settings(), former: SchemaModel? = nil
  ) throws -> Generation {
    let url = try DocumentFiles.named(url)
    let folder = url.deletingLastPathComponent()
    let file = url.lastPathComponent
    let root = try DocumentFiles(root: folder).node(at: file)
    return try Generation(root, file: file, folder: folder, settings: settings, former: former)
  }

  /// Reads a document, a HAR file, or recorded responses.
  ///
  /// - Parameters:
  ///   - paths: Absolute, or relative to the folder.
  ///   - at: The method and the path of recorded responses, as `GET:/users`.
  ///   - former: The model of the run before.
  /// - Throws: ``GenerationError``.
  static func read(
    _ paths: [String], at: String?, in folder: URL, settings: Settings, former: SchemaModel?
  ) throws -> Generation {
    guard let first = paths.first else {
      throw GenerationError(
        "entity-gen", "Name a document: entity-gen openapi.yaml. \(Settings.file) names none either.")
    }
    let urls = paths.map { URL(filePath: $0, relativeTo: folder).absoluteURL }
    if let at {
      let recording = try Recording(files: urls, at: at)
      return try Generation(recording.document, file: first, folder: folder, settings: settings, former: former)
    }
    if paths.count > 1 {
      throw GenerationError("entity-gen", "Several files are recorded responses, and need --at: --at GET:/users.")
    }
    let url = try DocumentFiles.named(urls[0])
    if [urls[0], url].contains(where: { $0.pathExtension.lowercased() == "har" }) {
      let root = try DocumentFiles(root: url.deletingLastPathComponent()).node(at: url.lastPathComponent)
      let recording = try Recording(har: root, file: url.lastPathComponent)
      return try Generation(
        recording.document, file: url.lastPathComponent, folder: folder, settings: settings, former: former)
    }
    return try document(url, settings: settings, former: former)
  }
}
