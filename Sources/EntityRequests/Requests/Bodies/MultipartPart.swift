public import Foundation

/// One part of a `multipart/form-data` body (RFC 7578 §4).
public struct MultipartPart: Sendable {
  enum Content: Sendable {
    case data(Data)
    case file(URL)
  }

  let name: String
  let filename: String?
  let contentType: String?
  let content: Content

  /// A field: text without a content type, so that it is UTF-8 (RFC 7578 §5.1.2).
  public static func field(_ name: String, _ text: String) -> MultipartPart {
    MultipartPart(name: name, filename: nil, contentType: nil, content: .data(Data(text.utf8)))
  }

  /// Bytes. With a file name they are a file to the server.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - data: The content.
  ///   - filename: Makes the part a file to the server.
  ///   - contentType: With a file name by default `application/octet-stream` (RFC 7578 §4.4), else none.
  public static func data(
    _ name: String, _ data: Data, filename: String? = nil, contentType: String? = nil
  ) -> MultipartPart {
    MultipartPart(
      name: name, filename: filename, contentType: contentType ?? filename.map { _ in octets }, content: .data(data))
  }

  /// A file on disk: read while it is sent, and never whole in memory.
  ///
  /// - Parameters:
  ///   - name: The name of the field.
  ///   - url: The file.
  ///   - filename: The name that the server is told, by default the file's name. Its folder is never sent.
  ///   - contentType: By default `application/octet-stream` (RFC 7578 §4.4).
  public static func file(
    _ name: String, _ url: URL, filename: String? = nil, contentType: String? = nil
  ) -> MultipartPart {
    MultipartPart(
      name: name, filename: filename ?? url.lastPathComponent, contentType: contentType ?? octets, content: .file(url))
  }

  /// A PNG image as a file.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest` when `image` is no PNG image.
  public static func png(_ name: String, _ image: Data, filename: String = "image.png") throws -> MultipartPart {
    try PNG.check(image)
    return data(name, image, filename: filename, contentType: PNG.mediaType)
  }

  private static let octets = "application/octet-stream"
}
