import EntityJSON
import EntityRequests
import EntityStore
import HTTPFoundation

// Attachments: commands that upload a file.

/// The common parts of uploads: the copies of the files, and the place that tells of progress.
struct UploadDesk: Sendable {
  let folder: AttachmentFolder
  /// Takes the number of an entry, and the number of bytes of its file that were sent.
  let report: @Sendable (Int64, Int64) -> Void
}

extension EntityChanges {
  /// Puts a file behind the changes that its object has now.
  func attach(_ file: AttachedFile, as name: String, to id: EntityID<E>, now: Double) async throws {
    let key = RowKey(entity: model.number, pk: id.pk)
    try await core.unit(
      isDurable: true,
      reading: { context, rows in
        guard let object = try context.object(id) else {
          throw RequestError(.invalidRequest, "The object of the attachment '\(name)' is not in the store.")
        }
        var entry = OutboxEntry(key: key, kind: .command, state: .waiting, time: now)
        (entry.name, entry.kept, entry.edited) = (name, try file.text, try rows.outbox.number())
        entry.uid = uid(of: object)
        try rows.outbox.insert(entry)
      })
  }

  /// - Throws: `RequestError` of kind `invalidRequest` for an attachment that the entity does not declare, and for a content
  ///   type that can't be a header's value.
  func checkAttachment(_ name: String, _ contentType: String) throws {
    guard settings.uploads[name] != nil else {
      throw RequestError(
        .invalidRequest,
        "'\(E.entityName)' has no attachment '\(name)'. Declare it among its rules: `.attachment(\"\(name)\", .put(…))`."
      )
    }
    var request = URLRequest(url: client.baseURL)
    try request.setHeaders(["Content-Type": contentType])
  }

  /// The next request of an upload.
  func upload(
    _ known: OutboxEntry, by rule: OutboxUploading<E>, _ line: PlannedLine, in unit: ClaimingUnit
  ) throws -> Claim? {
    guard var file = AttachedFile(known) else {
      throw RequestError(
        .invalidRequest,
        "This version of the app can't read the attachment '\(known.name ?? "")'. Drop it, and attach the file again.")
    }
    guard let object = try unit.context.object(EntityID<E>(pk: known.key.pk)) else {
      throw RequestError(
        .invalidRequest, "The object of the attachment '\(known.name ?? "")' was deleted. Drop the attachment.")
    }
    // The server may have some bytes of the piece whose answer was lost.
    if known.state == .sending { file.offset = nil }
    let step = UploadStep(of: file, isResumable: rule.isResumable, pieceSize: rule.pieceSize)
    var entry = known
    var request: URLRequest
    let fields: [String: String]
    do {
      let needsFields = step == .create || step == .whole
      fields = try needsFields ? Client.withClient(client) { try rule.fields?(object) } ?? [:] : [:]
      request = try self.request(step, file, fields, by: rule, object)
    } catch let error as RequestError where error.kind == .missingUID {
      throw NotReady(reason: error.message)
    }
    entry.uid = uid(of: object)
    if rule.hasKey, settings.keyHeader != nil { entry.idempotencyKey = known.idempotencyKey ?? UUID().uuidString }
    try setKey(entry.idempotencyKey, on: &request)
    let isSecondTry = entry.state == .refused && entry.next != nil
    (entry.state, entry.time, entry.next) = (.sending, unit.now, nil)
    entry.attempts += 1
    try unit.rows.outbox.update(entry)
    let upload = Upload<E>(
      entry: entry, rule: rule, file: file, uid: object.serverUID, step: step, request: request, fields: fields,
      changes: self, report: { [report = desk.report, number = entry.number] in report(number, $0) })
    var claim = Claim(
      entry: entry, action: line.action, method: request.httpMethod ?? "", url: request.url?.absoluteString ?? "",
      isSecondTry: isSecondTry, send: { _ in try await upload.send() }, end: {})
    claim.isRepeatable = planning.uploads[known.name ?? ""]
    return claim
  }

  /// The request of a step, without the bytes of the file: these are read when they are sent.
  private func request(
    _ step: UploadStep, _ file: AttachedFile, _ fields: [String: String], by rule: OutboxUploading<E>, _ object: E
  ) throws -> URLRequest {
    var request: URLRequest
    switch step {
    case .create, .whole:
      request = try object.resourceRequest(rule.method(step), rule.path, allowing: rule.allowed, client)
    case .ask, .piece:
      guard let url = file.location.flatMap({ URL(string: $0) }) else {
        throw RequestError(
          .invalidRequest,
          "The entry of the outbox has no URL of its upload that can be read. Drop it, and attach the file again.")
      }
      request = try E.request(rule.method(step), url, client)
    }
    for (name, value) in try rule.pieces?.headers(step, file, fields) ?? [:] { try request.setHeaders([name: value]) }
    if step == .create, case .contentRange = rule.form, !fields.isEmpty {
      try request.setJSON(JSONObject(fields.mapValues { JSONValue($0) }))
    }
    return request
  }
}

extension OutboxUploading {
  /// The way to upload in pieces; `nil` for one request with the whole file.
  var pieces: (any PiecewiseUpload)? {
    switch form {
    case .tus: TusUpload()
    case .contentRange: ContentRangeUpload()
    case .whole, .form: nil
    }
  }

  func method(_ step: UploadStep) -> HTTPMethod {
    if case .whole(let method) = form { return method }
    return pieces?.method(step) ?? .post
  }
}
