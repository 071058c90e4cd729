/// Which work that the server does not have stays when the server's word deletes rows.
package enum UnsentWork: Sendable {
  /// None: the app itself deletes.
  case none
  /// Objects that were made here: the response ends edits, and can have no word on an object that the server does not know. An
  /// object without uid is a part of its parent, and goes with the edits of that.
  case madeHere
  /// All edits, and all objects that were made here.
  case all

  package init(_ policy: MergePolicy) { self = policy.keepsEdits ? .all : .madeHere }

  /// Whether a row with marks stays.
  func keeps(_ model: EntityModel, isMadeHere: Bool) -> Bool {
    switch self {
    case .none: false
    case .madeHere: isMadeHere && model.uid != nil
    case .all: true
    }
  }
}
