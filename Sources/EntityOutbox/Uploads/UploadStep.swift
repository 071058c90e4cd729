import EntityRequests
import HTTPFoundation

/// One request of an upload.
enum UploadStep: Sendable, Equatable {
  /// The whole file, or a form with it.
  case whole
  /// The server makes a place for the file.
  case create
  /// The server says how much of the file it has.
  case ask
  /// A piece of the file.
  case piece(Range<Int64>)

  /// The next request of an upload.
  init(of file: AttachedFile, isResumable: Bool, pieceSize: Int64) {
    guard isResumable else {
      self = .whole
      return
    }
    guard file.location != nil else {
      self = .create
      return
    }
    guard let offset = file.offset, offset < file.size else {
      self = .ask
      return
    }
    self = .piece(offset..<min(file.size, offset + min(pieceSize, file.size - offset)))
  }
}

/// The meaning of a response to a step.
enum UploadAnswer: Sendable, Equatable {
  /// The server has the file.
  case complete
  /// The server has made a place: its URL is in `Location`.
  case made
  /// The server has this many bytes.
  case at(Int64)
  /// The server has another number of bytes than the request said, or does not say how many.
  case elsewhere
  /// The server has no such upload any more.
  case gone
  /// Another request of the upload is under way.
  case locked
  /// The response breaks the protocol; the text says how.
  case broken(String)
  /// The response is what its status says.
  case failed
}

/// The requests of a way to upload in pieces, and its responses.
protocol PiecewiseUpload: Sendable {
  /// The headers of a step.
  ///
  /// - Parameter fields: The fields of the rule, for the first request.
  /// - Throws: `RequestError` for fields that can't be sent.
  func headers(_ step: UploadStep, _ file: AttachedFile, _ fields: [String: String]) throws -> [String: String]

  func method(_ step: UploadStep) -> HTTPMethod

  func answer(_ response: HTTPResponse, to step: UploadStep, _ file: AttachedFile) -> UploadAnswer
}
