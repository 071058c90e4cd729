import EntityRequests
import HTTPFoundation

/// The core protocol of tus 1.0 and its extension "Creation" (https://tus.io/protocols/resumable-upload).
struct TusUpload: PiecewiseUpload {
  func method(_ step: UploadStep) -> HTTPMethod {
    switch step {
    case .create, .whole: .post
    case .ask: .head
    case .piece: .patch
    }
  }

  func headers(_ step: UploadStep, _ file: AttachedFile, _ fields: [String: String]) throws -> [String: String] {
    var headers = ["Tus-Resumable": "1.0.0"]
    switch step {
    case .create, .whole:
      headers["Upload-Length"] = String(file.size)
      headers["Upload-Metadata"] = try metadata(file, fields)
    case .ask: break
    case .piece(let range):
      headers["Content-Type"] = "application/offset+octet-stream"
      headers["Upload-Offset"] = String(range.lowerBound)
    }
    return headers
  }

  /// Keys are ASCII without spaces and commas, and values are Base64.
  private func metadata(_ file: AttachedFile, _ fields: [String: String]) throws -> String {
    var all = fields
    all["filename"] = fields["filename"] ?? file.filename
    all["filetype"] = fields["filetype"] ?? file.contentType
    return try all.sorted { $0.key < $1.key }.map { key, value in
      guard !key.isEmpty, key.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ",") }) else {
        throw RequestError(.invalidRequest, "A field of an upload by tus has a name that is no key of its metadata.")
      }
      return value.isEmpty ? key : "\(key) \(Data(value.utf8).base64EncodedString())"
    }.joined(separator: ",")
  }

  func answer(_ response: HTTPResponse, to step: UploadStep, _ file: AttachedFile) -> UploadAnswer {
    switch response.status {
    case 200..<300: return success(response, step, file)
    case 404 where step != .create, 410 where step != .create: return .gone
    case 409 where step != .create: return .elsewhere
    case 423: return .locked
    case 412:
      let versions = (response.headers["Tus-Version"] ?? "").prefix(40).filter { "0123456789.,".contains($0) }
      return .broken("The server does not speak tus 1.0.0, but \(versions.isEmpty ? "another version" : versions).")
    default: return .failed
    }
  }

  private func success(_ response: HTTPResponse, _ step: UploadStep, _ file: AttachedFile) -> UploadAnswer {
    let offset = response.headers["Upload-Offset"].flatMap { Int64($0) }
    switch step {
    case .create, .whole: return file.size == 0 ? .complete : .made
    case .ask:
      guard let offset, 0...file.size ~= offset else {
        return .broken("The server does not say how much of the file it has: 'Upload-Offset' is missing or wrong.")
      }
      return offset == file.size ? .complete : .at(offset)
    case .piece(let range):
      guard let offset, offset > range.lowerBound, offset <= range.upperBound else { return .elsewhere }
      return offset == file.size ? .complete : .at(offset)
    }
  }
}
