import EntityRequests
import HTTPFoundation

/// Pieces with `Content-Range` (RFC 9110 §14.4), and 308 for more (Google Cloud Storage, "Resumable uploads").
struct ContentRangeUpload: PiecewiseUpload {
  func method(_ step: UploadStep) -> HTTPMethod {
    switch step {
    case .create, .whole: .post
    case .ask, .piece: .put
    }
  }

  func headers(_ step: UploadStep, _ file: AttachedFile, _ fields: [String: String]) throws -> [String: String] {
    switch step {
    case .create, .whole:
      ["X-Upload-Content-Type": file.contentType, "X-Upload-Content-Length": String(file.size)]
    case .ask: ["Content-Range": "bytes */\(file.size)"]
    case .piece(let range):
      [
        "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)",
        "Content-Type": file.contentType,
      ]
    }
  }

  func answer(_ response: HTTPResponse, to step: UploadStep, _ file: AttachedFile) -> UploadAnswer {
    switch (response.status, step) {
    case (200..<300, .create), (200..<300, .whole): return .made
    case (200..<300, .ask): return .complete
    case (200..<300, .piece(let range)):
      guard range.upperBound == file.size else {
        return .broken("The server took the upload for complete after \(range.upperBound) of \(file.size) bytes.")
      }
      return .complete
    case (308, .ask): return offset(response, file).map { .at($0) } ?? .at(0)
    case (308, .piece(let range)):
      guard let offset = offset(response, file), offset > range.lowerBound, offset <= range.upperBound else {
        return .elsewhere
      }
      return .at(offset)
    case (404, .ask), (404, .piece), (410, .ask), (410, .piece): return .gone
    case (409, .ask), (409, .piece), (416, .ask), (416, .piece): return .elsewhere
    case (423, _): return .locked
    default: return .failed
    }
  }

  /// The end of `Range: bytes=0-N`; `nil` where the server has nothing, or names no such range.
  private func offset(_ response: HTTPResponse, _ file: AttachedFile) -> Int64? {
    guard let text = response.headers["Range"], let begin = text.range(of: "0-"),
      ["bytes=", "bytes ", ""].contains(String(text[..<begin.lowerBound])), let last = Int64(text[begin.upperBound...]),
      last >= 0, last < file.size
    else { return nil }
    return last + 1
  }
}
