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
  /// ``EntityResponse/refused`` has the place and the reason of each skipped object. If a nested object can't be taken
  /// in, the whole object of the list that contains it is skipped. A nested value that names no object is skipped by
  /// itself, and the relationship keeps its objects: an object without a uid, such as an error in place of an author, and
  /// an element to which a key path with brackets does not lead. An object is skipped for a value that its property
  /// can't have, for an id that is missing, for a unique value that another object has, or for a required object that
  /// is skipped itself. An object that is the whole response still fails, and so does a response of another form than
  /// was asked for.
  ///
  /// A skipped object is not missing: `.deleteMissing(in:)` keeps its row, and the rows of the objects that it names.
  /// If the skipped object does not say which objects these are, the response fails, and nothing is written.
  ///
  /// The result is the same as for the response without the skipped objects. A response in which nothing is skipped
  /// costs no more than without the option. Any other response is read at least three times.
  public static var skipping: Self { Self { $0.upsert.givenSkips = true } }

  /// Leaves a property as it is when its value in the response can't be read: null for a property that is not optional,
  /// a text for a number, `true` in place of an object.
  ///
  /// ```swift
  /// let response = try await User.get(options: [.skipping, .keepingValues])
  /// ```
  ///
  /// The option goes with ``failing`` and with ``skipping``. ``EntityResponse/refused`` has the place and the reason of
  /// each value. A new object gets the property's default. The response counts as one without the property, so a local
  /// edit of it does not end. A list with one element that can't be read stays as a whole.
  ///
  /// Uids, and the required relationships of a new object, are not kept: without these the object can't be taken in.
  /// The response fails if a relationship can't be read and missing objects of its entity may be deleted. In an update
  /// by hand, `assign` keeps values; the update's own reads with `value` throw.
  public static var keepingValues: Self { Self { $0.upsert.keepsValues = true } }
}

extension EntityResponse {
  /// The objects that were skipped, in the order of the response, with the reasons; see ``ResponseOptions/skipping``.
  /// Then the values that could not be read, so that the property kept its own; see ``ResponseOptions/keepingValues``.
  /// ``EntityCounts/refused`` counts the skipped objects only.
  public var refused: RefusedValues { details.refused }
}
