import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

/// One request of an upload, from its claim to its end. The last one ends the entry, and its answer is taken in where it has
/// the object of the attachment.
struct Upload<E: OutboxEntity>: Sendable {
  /// The most times in a row that an upload goes back without coming further than before.
  private static var mostSetbacks: Int { 5 }
  /// The wait for another request of the same upload to end, in seconds.
  private static var lockPause: Double { 10 }

  let entry: OutboxEntry
  let rule: OutboxUploading<E>
  let file: AttachedFile
  /// The server's uid of the object.
  let uid: StoredValue?
  let step: UploadStep
  /// The request without the bytes of the file.
  let request: URLRequest
  let fields: [String: String]
  let changes: EntityChanges<E>
  /// Takes the number of bytes of the file that were sent.
  let report: @Sendable (Int64) -> Void

  @concurrent func send() async throws -> Claim.Ending {
    try await changes.desk.folder.check(file)
    let write = changes.writes.write(try await filled(), of: EntityID(pk: entry.key.pk))
    defer { write.end() }
    let number = write.begin()
    defer { write.end(number) }
    return try await write.observed {
      try await ending(of: try await $0.response(progress: progress), $0, number)
    }
  }

  // MARK: The request

  private func filled() async throws -> URLRequest {
    var request = request
    let copy = changes.desk.folder.url(of: file.copy)
    switch step {
    case .create: break
    case .ask: if request.httpMethod != HTTPMethod.head.rawValue { request.httpBody = Data() }
    case .piece(let range): request.httpBody = try await changes.desk.folder.piece(range, of: file)
    case .whole:
      guard case .form(let field) = rule.form else {
        try request.setFile(copy, contentType: file.contentType)
        return request
      }
      // A request with a key is the same one each time. The digest is in no file by chance.
      var count = 0
      let others = fields.sorted { $0.key < $1.key }.map { MultipartPart.field($0.key, $0.value) }
      try request.setMultipart(
        [:], others + [.file(field, copy, filename: file.filename, contentType: file.contentType)]
      ) {
        count += 1
        return "----EntityClient-\(file.digest.prefix(32))\(count)"
      }
    }
    return request
  }

  /// Reports the bytes of the file. Those of a form around the file count as its last ones.
  private var progress: TransferProgressHandler? {
    let base: Int64
    switch step {
    case .create, .ask: return nil
    case .whole: base = 0
    case .piece(let range): base = range.lowerBound
    }
    return { [report, size = file.size] in report(min(size, base + max(0, min(size, $0.bytesSent)))) }
  }

  // MARK: The response

  private func answer(_ response: HTTPResponse) -> UploadAnswer {
    guard let pieces = rule.pieces else { return (200..<300).contains(response.status) ? .complete : .failed }
    return pieces.answer(response, to: step, file)
  }

  private func ending(
    of response: HTTPResponse, _ write: ObjectWrite<E>, _ number: RequestNumber
  ) async throws -> Claim.Ending {
    var next = file
    switch answer(response) {
    case .complete:
      let end = changes.ending(entry.number)
      try end.check(response)
      // An answer about something else than the object has a uid of its own, which may be that of another object here.
      let uid = rule.takesAnswer ? uid : nil
      if try await !write.take(response, ifAbout: uid, number, ending: end) {
        try await write.confirm(uid: nil, ending: end)
      }
      return .taken(status: response.status)
    case .made:
      guard let url = try E.location(in: response, from: request.url, allowing: rule.allowed, changes.client) else {
        throw RequestError(.invalidRequest, "The server names no URL for the upload: 'Location' is missing.")
      }
      (next.location, next.offset) = (url.absoluteString, 0)
      return .goesOn(next, isFurther: false)
    case .at(let offset):
      let isFurther = next.reach(offset)
      return .goesOn(next, isFurther: isFurther)
    case .elsewhere:
      next.offset = nil
      return try setBack(next, response, write)
    case .gone:
      (next.location, next.offset) = (nil, nil)
      return try setBack(next, response, write)
    case .locked:
      next.offset = nil
      return try setBack(next, response, write, wait: Self.lockPause * Double(next.setbacks + 1))
    case .broken(let reason): throw RequestError(.invalidRequest, reason)
    case .failed:
      try write.check(response)
      throw RequestError(.invalidRequest, "The server answers an upload with a status that it does not have.")
    }
  }

  /// - Throws: The refusal that the response is, where the upload went back too often.
  private func setBack(
    _ file: AttachedFile, _ response: HTTPResponse, _ write: ObjectWrite<E>, wait: Double? = nil
  ) throws -> Claim.Ending {
    var file = file
    file.setbacks += 1
    guard file.setbacks <= Self.mostSetbacks else {
      // A 308 is the answer to a piece here, and no redirect.
      if response.status != 308 { try write.check(response) }
      throw RequestError(
        .status, "The upload comes no further: the server has other bytes than it said, again and again.",
        response: response)
    }
    return .goesOn(file, isFurther: false, wait: wait)
  }
}
