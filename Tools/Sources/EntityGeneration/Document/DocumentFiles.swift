import EntityJSON
import Foundation

/// The files of a document, each read once: the one that was named, and those that its references lead to.
final class DocumentFiles {
  struct Limits {
    /// Bytes of one file.
    var file = 64 << 20
    /// Bytes of all files.
    var total = 256 << 20
    /// Values of one file of YAML, the keys of objects among them.
    var values = 5_000_000
  }

  private let root: URL
  private let limits: Limits
  private var read: [String: Result<Node, GenerationError>] = [:]
  private(set) var total: Int

  /// - Parameters:
  ///   - root: The folder that all files are in.
  ///   - alreadyRead: The bytes of other files that count towards the limit.
  init(root: URL, limits: Limits = Limits(), alreadyRead: Int = 0) {
    total = alreadyRead
    self.root = root.standardizedFileURL.resolvingSymlinksInPath()
    self.limits = limits
  }

  /// The file that a person has named, behind links: its references stay in the folder of the file itself.
  ///
  /// - Throws: ``GenerationError`` for what is no regular file.
  static func named(_ url: URL) throws(GenerationError) -> URL {
    let file = url.standardizedFileURL.resolvingSymlinksInPath()
    // A pipe of the shell, such as `/dev/fd/63`, is a link to a file that is not there.
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
      throw GenerationError(url.lastPathComponent, "There is no such file.")
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
    switch attributes?[.type] as? FileAttributeType {
    case .typeRegular?: return file
    case .typeDirectory?: throw GenerationError(url.lastPathComponent, "This is a folder, and no document.")
    default:
      throw GenerationError(
        url.lastPathComponent,
        "This is a pipe or a device, which a later run could not read again. Save the document in a file.")
    }
  }

  /// Takes a value in place of the content of a file.
  func put(_ node: Node, at path: String) { read[path] = .success(node) }

  /// - Parameter path: Relative to the folder, with `/`.
  func node(at path: String) throws(GenerationError) -> Node {
    if let known = read[path] { return try known.get() }
    let result = Result { () throws(GenerationError) in try load(path) }
    read[path] = result
    return try result.get()
  }

  /// A reference could otherwise read any file of the machine.
  private func url(of path: String) throws(GenerationError) -> URL {
    let url = root.appending(path: path).standardizedFileURL.resolvingSymlinksInPath()
    let folder = root.path(percentEncoded: false)
    guard url.path(percentEncoded: false).hasPrefix(folder.hasSuffix("/") ? folder : folder + "/") else {
      throw GenerationError(path, "The file is outside of the document's folder, and was not read.")
    }
    return url
  }

  private func load(_ path: String) throws(GenerationError) -> Node {
    let url = try url(of: path)
    guard FileManager.default.fileExists(atPath: url.path(percentEncoded: false)) else {
      throw GenerationError(path, "There is no such file.")
    }
    let values = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
    // To read a pipe may take for ever.
    guard let values, values.isRegularFile == true, let size = values.fileSize else {
      throw GenerationError(path, "This is no regular file.")
    }
    guard size <= limits.file else {
      throw GenerationError(path, "The file has \(size >> 20) MiB, and the limit is \(limits.file >> 20).")
    }
    total += size
    guard total <= limits.total else {
      throw GenerationError(path, "The files have more than \(limits.total >> 20) MiB together.")
    }
    guard let data = try? Data(contentsOf: url) else { throw GenerationError(path, "The file can't be read.") }
    return try Self.node(data, of: path, limits)
  }

  /// An error names the way to its place, which may be long.
  private static func shortened(_ text: String) -> String {
    text.count <= 300 ? text : "\(text.prefix(140))…\(text.suffix(140))"
  }

  /// JSON is recognised by its first character: YAML may begin with a brace, too, and is tried second.
  static func node(_ data: Data, of path: String, _ limits: Limits = Limits()) throws(GenerationError) -> Node {
    let first = data.first { ![9, 10, 13, 32, 0xEF, 0xBB, 0xBF].contains($0) }
    let looksLikeJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    if looksLikeJSON || path.hasSuffix(".json") || path.hasSuffix(".har") {
      do {
        return Node(try JSONValue(parsing: data, byteOrderMark: .skipped))
      } catch {
        // A flow mapping of YAML has no quotes around its keys.
        if path.hasSuffix(".json") || path.hasSuffix(".har") || data.count > 1 << 20 {
          throw GenerationError(path, shortened("\(error)"))
        }
      }
    }
    guard let text = String(data: data, encoding: .utf8) else {
      throw GenerationError(path, "The file is not in UTF-8.")
    }
    do {
      return try Node(yaml: text, of: path, limit: limits.values)
    } catch let error as GenerationError {
      throw error
    } catch {
      throw GenerationError(path, "The YAML can't be read.")
    }
  }
}
