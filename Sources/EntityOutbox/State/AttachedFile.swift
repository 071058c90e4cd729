import EntityJSON
import EntityStore
import Foundation

/// A file that is attached to an object, as ``OutboxEntry/kept`` of its entry has it.
struct AttachedFile: Codable, Sendable, Equatable {
  /// The name of the copy in the folder beside the store: 32 hexadecimal digits that were made here.
  var copy: String
  /// The name of the file that the server is told.
  var filename: String
  var contentType: String
  /// In bytes.
  var size: Int64
  /// The SHA-256 of the bytes, in hexadecimal digits.
  var digest: String
  /// The URL that the server gave the upload; `nil` before.
  var location: String?
  /// The number of bytes that the server has; `nil` where it must be asked.
  var offset: Int64?
  /// The highest offset that the upload ever had.
  var furthest: Int64 = 0
  /// How often the upload went back since it came that far.
  var setbacks = 0

  /// - Returns: `nil` for an entry that is no attachment, and for one with values that no attachment has.
  init?(_ entry: OutboxEntry) {
    guard entry.kind == .command, let text = entry.kept, text.hasPrefix("{\"attachment\":"),
      let file = try? JSONValueDecoder().decode(Kept.self, from: Data(text.utf8)).attachment,
      file.isValid
    else { return nil }
    self = file
  }

  init(copy: String, filename: String, contentType: String, size: Int64, digest: String) {
    (self.copy, self.filename, self.contentType) = (copy, filename, contentType)
    (self.size, self.digest) = (size, digest)
  }

  /// The text of ``OutboxEntry/kept``.
  var text: String {
    get throws {
      String(decoding: try JSONValueEncoder(format: .sorted).encode(Kept(attachment: self)), as: UTF8.self)
    }
  }

  private struct Kept: Codable {
    var attachment: AttachedFile
  }

  /// An archive may come from elsewhere, and its text must lead to no other file.
  private var isValid: Bool {
    Self.isCopy(copy) && size >= 0 && 0...size ~= furthest && 0...size ~= offset ?? 0 && setbacks >= 0
  }

  /// Whether a name is one of a copy.
  static func isCopy(_ name: String) -> Bool {
    name.utf8.count == 32 && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }

  // MARK: Progress

  /// The server has this many bytes.
  ///
  /// - Returns: Whether that is more than ever before.
  mutating func reach(_ offset: Int64) -> Bool {
    self.offset = offset
    guard offset > furthest else { return false }
    (furthest, setbacks) = (offset, 0)
    return true
  }
}
