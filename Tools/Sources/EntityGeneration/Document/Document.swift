import Foundation

/// An OpenAPI document of version 3, with the files that it refers to.
final class Document {
  let files: DocumentFiles
  let findings: Findings
  let file: String
  let root: Node

  /// - Throws: ``GenerationError`` for a file that is no such document.
  init(_ root: Node, file: String, files: DocumentFiles, findings: Findings) throws(GenerationError) {
    (self.root, self.file, self.files, self.findings) = (root, file, files, findings)
    files.put(root, at: file)
    guard root.object != nil else {
      throw GenerationError(file, "An OpenAPI document is an object, and this is \(root.kindName).")
    }
    if root["swagger"] != nil {
      throw GenerationError(
        file,
        "This is Swagger 2.0. Convert it to OpenAPI 3 first, for example with swagger2openapi or the Swagger editor.")
    }
    guard let version = root["openapi"]?.scalarText else {
      throw GenerationError(file, "The key 'openapi' with the version is missing: this is no OpenAPI document.")
    }
    guard version.hasPrefix("3.") else {
      throw GenerationError(file, "OpenAPI \(version) is not read; 3.0 and 3.1 are.")
    }
    if !["3.0", "3.1"].contains(where: { version == $0 || version.hasPrefix($0 + ".") }) {
      findings.note(.open, "\(file)#/openapi", "OpenAPI \(version) is read as 3.1: what it adds is passed over.")
    }
    if root["paths"]?.object == nil, root["webhooks"] == nil {
      findings.note(.broken, "\(file)#/paths", "The document has no paths, and so no entities.")
    }
  }

  var place: Place { Place(document: self, file: file, pointer: "", node: root) }

  var title: String { root["info"]?["title"]?.string ?? "" }
  var version: String { root["info"]?["version"]?.scalarText ?? "" }

  /// The first server whose URL is complete.
  var baseURL: String? {
    let urls = (root["servers"]?.array ?? []).compactMap { server -> String? in
      guard var url = server["url"]?.string else { return nil }
      for (name, variable) in server["variables"]?.object?.pairs ?? [] {
        if let value = variable["default"]?.scalarText { url = url.replacing("{\(name)}", with: value) }
      }
      return url
    }
    return urls.first { $0.hasPrefix("http") && !$0.contains("{") }
  }
}
