public import EntityStore

extension ResponseOptions {
  /// Takes the response in, reports the effect, and undoes it: nothing is written, and no observer hears of a change.
  ///
  /// ```swift
  /// let trial = try await User.get(options: [.deleteMissing(in: User.all), .dryRun])
  /// print(trial.counts, trial.wouldDelete)
  /// ```
  ///
  /// ``EntityResponse/counts``, ``EntityResponse/skipped`` and ``EntityResponse/wouldDelete`` are the same as in the
  /// real run, if nothing changes until then. An error of the real run is an error of the dry run too. The ids of
  /// objects that the store does not have yet belong to no row. Local edits stay local edits.
  ///
  /// The request is sent, so its method must be safe (RFC 9110 §9.2.1): with any other method the verb throws
  /// ``RequestError`` of kind `invalidRequest`, and sends nothing. An iteration over pages without `limit: 1` throws
  /// the same error, because a later page depends on the rows that an earlier page wrote.
  public static var dryRun: Self { Self { $0.upsert.isDryRun = true } }
}

extension EntityResponse {
  /// True when the response was only tried: nothing of it is in the store. See ``ResponseOptions/dryRun``.
  public var isDryRun: Bool { details.isDryRun }

  /// The objects that the real run would delete, after a dry run: missing objects, objects that the response says are
  /// deleted, and objects that delete rules delete with them. Empty for all other responses.
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

  /// Checks that the options go with an iteration over pages.
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
