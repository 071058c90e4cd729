package import EntityRequests

extension RequestBodyStream {
  /// - Throws: `TransportError` of kind `invalidRequest` for a length below 0.
  package func checkLength() throws {
    if let length, length < 0 { throw invalid("The body's length is negative.") }
  }
}

/// The errors of a request's body on this side.
extension TransportError {
  package static func sending(_ message: String, mayHaveBeenProcessed: Bool = true) -> TransportError {
    TransportError(.sending, message, mayHaveBeenProcessed: mayHaveBeenProcessed)
  }

  package static func bodyTooLong(_ length: Int64, mayHaveBeenProcessed: Bool = true) -> TransportError {
    sending(
      "The request's body is longer than its length of \(length) bytes.", mayHaveBeenProcessed: mayHaveBeenProcessed)
  }

  package static func bodyTooShort(
    _ total: Int64, of length: Int64, mayHaveBeenProcessed: Bool = true
  ) -> TransportError {
    sending(
      "The request's body ended after \(total) of \(length) bytes.", mayHaveBeenProcessed: mayHaveBeenProcessed)
  }

  /// Names only the type of the error: the text of a caller's error may hold a part of the body.
  package static func bodyUnreadable(_ error: any Error, mayHaveBeenProcessed: Bool = true) -> TransportError {
    sending(
      "The request's body could not be read: its stream threw \(type(of: error)).",
      mayHaveBeenProcessed: mayHaveBeenProcessed)
  }
}
