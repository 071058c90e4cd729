extension ResponseOptions {
  /// A response with an object that can't be taken in fails as a whole: the default.
  public static var failing: Self { Self { $0.upsert.givenSkips = false } }

  /// Skips the objects of lists that can't be taken in, and takes in the others.
  ///
  /// ```swift
  /// let response = try await User.get(options: .skipping)
  /// print(response.ids.count, response.counts.refused, response.refused)
  /// ```
  ///
  /// ``EntityResponse/refused`` has the place and the reason of each. A nested object that can't be taken in spoils the
  /// object of the list that it stands in, wholly. An object is skipped for a value that its property can't have, an id
  /// that is missing, a unique value that another object has, or a required object that is itself skipped. An object
  /// that is the whole response fails as ever, and so does a response that is not of the form that was asked for.
  ///
  /// A skipped object is not missing: `.deleteMissing(in:)` keeps its row, and those of the objects that it names. Where
  /// it does not say which objects these are, the response fails, and nothing is written.
  ///
  /// The result is that of the response without the skipped objects. A response in which nothing is skipped costs no more
  /// than without the option; else it is gone through at least three times.
  public static var skipping: Self { Self { $0.upsert.givenSkips = true } }
}

extension EntityResponse {
  /// The objects that were skipped, in the order of the response, with the reasons; see ``ResponseOptions/skipping``.
  public var refused: RefusedValues { details.refused }
}
