public import EntityStore

extension ResponseOptions {
  /// Takes the response in, says what that does, and undoes it: nothing is written, and nobody is told of a change.
  ///
  /// ```swift
  /// let trial = try await User.get(options: [.deleteMissing(in: User.all), .dryRun])
  /// print(trial.counts, trial.wouldDelete)
  /// ```
  ///
  /// ``EntityResponse/counts``, ``EntityResponse/skipped`` and ``EntityResponse/wouldDelete`` are those of the real run,
  /// if nothing changes until then. An error of the real run is one of the dry run too. The ids of objects that the
  /// store does not have name nothing. Local edits stay local edits.
  ///
  /// The request is sent, so its method must be safe (RFC 9110 §9.2.1): with any other than GET and HEAD the verb throws
  /// ``RequestError`` of kind `invalidRequest`, and sends nothing. So does a walk over pages that has no `limit: 1`: a
  /// later page depends on what an earlier one wrote.
  public static var dryRun: Self { Self { $0.upsert.isDryRun = true } }
}

extension EntityResponse {
  /// Whether the response was only tried: nothing of it is in the store. See ``ResponseOptions/dryRun``.
  public var isDryRun: Bool { details.isDryRun }

  /// The objects that the real run of a dry run would delete: those that are missing or that the response says are deleted,
  /// and those that delete rules take with them. Empty for all other responses.
  public var wouldDelete: DeletedObjects { details.wouldDelete }
}

extension UpsertOptions {
  /// Checks that the options go with a request.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  func check(_ method: HTTPMethod) throws {
    guard isDryRun, !method.isSafe else { return }
    throw RequestError(
      .invalidRequest,
      "A dry run changes nothing, and \(method.rawValue) would change the server. Nothing was sent. Send the request by "
        + "itself, and upsert its response with `.dryRun`.")
  }

  /// Checks that the options go with a walk over pages.
  ///
  /// - Throws: ``RequestError`` of kind `invalidRequest`.
  func checkPages(limit: Int?) throws {
    guard isDryRun, limit != 1 else { return }
    throw RequestError(
      .invalidRequest,
      "A dry run of several pages says nothing of the real one: the objects of earlier pages would not be there. Nothing "
        + "was sent. Try one page, with `limit: 1`.")
  }
}
