/// Which work that the server does not have stays when a response deletes rows.
package enum UnsentWork: Sendable {
  /// None: the app itself deletes.
  case none
  /// Objects that were made here. The response ends edits, but it can't decide about an object that the server does not
  /// know. An object without uid is a part of its parent, and goes with the parent's edits.
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
