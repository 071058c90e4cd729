import EntityStore

/// The rule for columns that were edited here and not yet acknowledged by the server.
public enum LocalEdits: Sendable {
  /// They stay as they were edited.
  case keep
  /// The response overwrites them: the edit ends of each property that the response has, also where both have the same
  /// value, and later responses change the property again. A list ends the edits of its members' links, too. Properties
  /// that the response lacks stay edited. An `update(with:)` that is written by hand overwrites the properties that it
  /// sets; `ResponseObject.assign(_:to:)` with an absent key sets nothing.
  ///
  /// Edits that are saved when the response is taken in are overwritten, those that were saved while the request was under
  /// way too. Edits that are not saved stay in their objects, for a response never waits for the main actor and the store
  /// does not know of them: the object reads as edited, and its next save writes the edit over the response's value, as a
  /// new edit. To have them overwritten, save before the request, or drop them with `EntityContext.rollback(_:)`.
  case overwrite
}

extension LocalEdits {
  /// The policy of the merge.
  var policy: MergePolicy {
    switch self {
    case .keep: .keepingEdits
    case .overwrite: .overwritingEdits
    }
  }
}
