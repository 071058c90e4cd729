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

  /// Leaves a property as it is where its value in the response can't be read: null where the property is not optional, a
  /// text where a number was expected, `true` in place of an object.
  ///
  /// ```swift
  /// let response = try await User.get(options: [.skipping, .keepingValues])
  /// ```
  ///
  /// It goes with ``failing`` and with ``skipping``. ``EntityResponse/refused`` has the place and the reason of each value. A
  /// new object gets the property's default. The property counts as one that the response does not have, so a local edit
  /// is not ended by it. A list with one element that can't be read stays as a whole.
  ///
  /// Not kept are uids, and a required relationship of a new object: without these the object can't be taken in. Where
  /// a relationship can't be read, and missing objects of its entity may be deleted, the response fails. An update by hand
  /// keeps what `assign` sets; its own reads with `value` throw.
  public static var keepingValues: Self { Self { $0.upsert.keepsValues = true } }
}

extension EntityResponse {
  /// The objects that were skipped, in the order of the response, with the reasons; see ``ResponseOptions/skipping``. Then
  /// the values in whose place a property kept its own; see ``ResponseOptions/keepingValues``. The former are counted in
  /// ``EntityCounts/refused``.
  public var refused: RefusedValues { details.refused }
}
