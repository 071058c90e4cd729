import Foundation

/// PNG images (https://www.w3.org/TR/png-3/, RFC 2083).
enum PNG {
  static let mediaType = "image/png"

  /// Eight bytes (§5.2), and then the first chunk, which is IHDR with its 13 bytes (§11.2.1).
  private static let begin = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13]) + Data("IHDR".utf8)

  /// - Throws: ``RequestError`` of kind `invalidRequest` when `image` does not begin as every PNG image does.
  static func check(_ image: Data) throws {
    guard image.starts(with: begin) else {
      throw RequestError(.invalidRequest, "The data is no PNG image: it does not begin with PNG's signature.")
    }
  }
}
