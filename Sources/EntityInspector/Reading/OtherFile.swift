import Foundation

/// A file that is no store, and what it seems to be instead.
struct OtherFile {
  /// For a person.
  let sentence: String

  /// - Returns: `nil` for a file that may be a store.
  init?(_ url: URL) {
    let name = "'\(url.path)'"
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      sentence = "There is no file at \(name)."
      return
    }
    guard !isFolder.boolValue else {
      sentence = "\(name) is a folder. Name the file of a store in it."
      return
    }
    // A pipe would wait for somebody to write.
    let type = (try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path))?[.type]
    guard type as? FileAttributeType == .typeRegular else {
      sentence = "\(name) is no regular file. Name the file of a store."
      return
    }
    guard let handle = try? FileHandle(forReadingFrom: url), let start = try? handle.read(upToCount: 4096) ?? Data()
    else {
      sentence = "\(name) can't be read: check its permissions."
      return
    }
    guard let kind = Self.kind(Array(start), url) else { return nil }
    sentence = "\(name) is no store: \(kind)."
  }

  /// In words; `nil` for a SQLite database that may be a store.
  private static func kind(_ start: [UInt8], _ url: URL) -> String? {
    func begins(_ bytes: [UInt8]) -> Bool { start.starts(with: bytes) }
    if start.isEmpty { return "it is empty" }
    if begins(Array("SQLite format 3\0".utf8)) { return database(start) }
    if [[0x37, 0x7F, 0x06, 0x82], [0x37, 0x7F, 0x06, 0x83]].contains(where: begins) {
      return "it is the log of a database. Name the file without '-wal' at its end"
    }
    if url.path.hasSuffix("-shm") { return "it is the index of a log. Name the file without '-shm' at its end" }
    for (bytes, words) in magics where begins(bytes) { return "it is \(words)" }
    guard let text = String(beginning: start) else { return "it holds bytes of no kind that is known here" }
    let first = text.drop(while: \.isWhitespace).first
    if first == "{" || first == "[" {
      if text.contains("\"log\"") && text.contains("\"entries\"") || text.contains("\"creator\"") {
        return "it is a recording of requests (HAR)"
      }
      return text.contains("\"archive\":\"EntityClient\"")
        ? "it is the archive of a store. Restore it into a file first" : "it is JSON"
    }
    return first == "<" ? "it is XML or HTML" : "it is text"
  }

  /// The number of the application is at byte 68 (https://sqlite.org/fileformat.html#application_id).
  private static func database(_ start: [UInt8]) -> String? {
    guard start.count >= 100 else { return "it is a SQLite database that was cut off" }
    let number = start[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard number != 0x456E_7443 else { return nil }
    let known: [UInt32: String] = [
      0: "", 0x4750_4B47: " (GeoPackage)", 0x4D50_4258: " (MBTiles)", 0x0F05_5112: " (Fossil)",
    ]
    return
      "it is a SQLite database of another application\(known[number] ?? " (number 0x\(String(number, radix: 16)))")"
  }

  private static let magics: [([UInt8], String)] = [
    ([0x89, 0x50, 0x4E, 0x47], "a PNG picture"), ([0xFF, 0xD8, 0xFF], "a JPEG picture"),
    (Array("%PDF".utf8), "a PDF document"), (Array("PK\u{3}\u{4}".utf8), "a zip archive"),
    ([0x1F, 0x8B], "a file that gzip compressed"), ([0x28, 0xB5, 0x2F, 0xFD], "a file that zstd compressed"),
    (Array("bplist".utf8), "a property list"), ([0x7F, 0x45, 0x4C, 0x46], "a program"),
    ([0xCF, 0xFA, 0xED, 0xFE], "a program"),
  ]
}

extension String {
  /// A text whose last character may be cut off; `nil` for bytes that are no UTF-8, and for those with a zero.
  fileprivate init?(beginning bytes: [UInt8]) {
    guard !bytes.contains(0) else { return nil }
    for cut in 0...Swift.min(3, bytes.count) {
      guard let text = String(validating: bytes.dropLast(cut), as: UTF8.self) else { continue }
      self = text
      return
    }
    return nil
  }
}
