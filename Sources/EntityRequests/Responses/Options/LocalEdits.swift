import EntityStore

/// The rule for columns that were edited here and not yet acknowledged by the server.
public enum LocalEdits: Sendable {
  /// The columns stay as they were edited.
  case keep
  /// The response overwrites the columns. The edit of each property that the response has ends, even if both values are
  /// equal, and later responses change the property again. A list ends the edits of its members' links, too. Properties
  /// that the response lacks stay edited. A hand-written `update(with:)` overwrites the properties that it sets;
  /// `ResponseObject.assign(_:to:)` with an absent key sets nothing.
  ///
  /// Edits that are saved when the response is taken in are overwritten, including edits that were saved while the
  /// request was under way. Edits that are not saved stay in their objects, because a response never waits for the main
  /// actor and the store does not know these edits. The object reads as edited, and its next save writes the edit over
  /// the response's value, as a new edit. To have unsaved edits overwritten, save before the request, or drop them with
  /// `EntityContext.rollback(_:)`.
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
