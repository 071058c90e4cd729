/// A change in a response that the store did not take, with the reason. A unique value that an object lost to an object
/// of the response counts too.
///
/// ```swift
/// for change in response.skipped { print(change) }
/// // User 7: email was edited here and not yet acknowledged: here "mine", there "theirs", before "old"
/// ```
/// Only differences count. An edited property that has the response's value is left out. Relationships to objects
/// without uid are not compared: where one stays, it is listed even if it is equal.
public struct SkippedChange: Sendable, Hashable {
  /// Why a change was not taken.
  public enum Reason: Sendable, Hashable, CaseIterable {
    // Decided by MergePolicy, asked by RowPlan; for lists by PairLists and RowOrder; for missing rows by MissingRows.
    /// The property was edited here, and the server has not acknowledged the edit. Without properties, for a list: the
    /// object is missing from the response, and stays because of its edits. A one-to-one link is `nil` where its target
    /// was given to another object here.
    case locallyEdited
    // Decided by MergePolicy, by the numbers of RequestSequence; for missing rows by MissingRows, for links by OneToOne.
    /// The answer to a later request was taken in first, and has set the property. A one-to-one link is `nil` where the
    /// later answer has decided about its target.
    case newerAnswer
    // Decided by RowDeletion.
    /// The server has deleted the object, as the response or a DELETE says, or the response lacks it. The object stays,
    /// because another object requires it, a delete rule holds it, or an object that would go with it stays as
    /// ``deletedThere``.
    case denied
    // Decided by RowDeletion.
    /// The server has deleted the object, or an object that takes it along. The object stays, because it has edits that
    /// the server has not acknowledged, or was made here. With properties: the server has deleted an object that a link
    /// or a list was given here. The link has its target from before the edit again, or is `nil`; the list is without
    /// the object.
    case deletedThere
    // Decided by Mapper, by the deletions that RequestSequence keeps.
    /// The object was deleted: by a newer answer, or here while the request was under way. With properties: their
    /// target was deleted, and they require one.
    case gone
    // Decided by UpsertSession, by the tombstones.
    /// The object was deleted here, and the server has not acknowledged the deletion: it does not come back.
    case deletedHere
    // Decided by UniqueValues.
    /// The response gives the property's unique value to another object, and does not say what this object has now. The
    /// property is `nil` until an answer says that.
    case valueTaken
    // Decided by Mapper+Mode.
    /// The store has no such object, and the request was to insert none.
    case unknown
    // Decided by VersionAttribute.
    /// The row has a newer version of the object than the response.
    case olderVersion
    // Decided by MissingRows.
    /// The object is missing from the response, and its entity declares that such an object stays.
    case kept
    // Decided by Mapper.
    /// The object stands in the list of one object, and its own key names another one: the own key counts.
    case contradicted
    // Decided by ContextEditing+HiddenValues, and MainMerge.
    /// The row has the response's value, and an object of the main context has an unsaved edit: the object shows the
    /// edit. A call on the main actor lists such changes, once the response is in the main context.
    case unsavedEdit
    // Decided by HeardValues, by the merge rule of the entity's outbox.
    /// The property was edited here, and the outbox's policy made one value of both, which the property has now.
    case merged
    /// The outbox's policy gave way to the server. The property has the response's value, and its edit has ended; `mine` is
    /// the edit that was dropped. Without properties: the server has deleted the object, and the policy let it go with its
    /// edits.
    case yielded
    /// The property was edited here, and the outbox's policy leaves the decision to a person.
    case conflict
    // Decided by RowDeletion, by the merge rule of the entity's outbox.
    /// The server has deleted the object, and the object has edits. It stays, as an entry of the outbox: a person makes it a
    /// new object, or drops the edits.
    case keptAside
  }

  public let reason: Reason
  /// The name of the entity, as ``ManagedEntity/entityName``.
  public let entity: String
  /// The object's uid as text, at most 200 characters of it; `nil` where it has none.
  public let uid: String?
  /// The object's id; `nil` where the store has no such object.
  public let id: AnyEntityID?
  /// The properties that were left alone, or that lost their value. Empty for a change of the object as a whole: a
  /// deletion, or an object that is gone.
  public let properties: [String]
  /// The values of these properties, as far as both are known. Values of embedded objects, of lists that an update by
  /// hand set, and of lazy properties are not.
  public let values: [SkippedChange.Value]

  init(
    reason: Reason, entity: String, uid: String?, id: AnyEntityID?, properties: [String],
    values: [SkippedChange.Value] = []
  ) {
    self.reason = reason
    self.entity = entity
    self.uid = uid
    self.id = id
    self.properties = properties
    self.values = values
  }

  /// Whether the server has another value since the edit was made: the response has a value that is new to this store.
  /// Otherwise the response repeats the value that the edit was made on, as it does until the edit is sent.
  public var isConflict: Bool {
    switch reason {
    case .locallyEdited, .unsavedEdit, .merged, .yielded, .conflict: values.contains(where: \.isConflict)
    default: false
    }
  }
}

extension SkippedChange: CustomStringConvertible {
  /// The object by its uid, or else by its row, the properties, the reason, and the values: texts up to 40 characters.
  /// The value of a property whose name says that it is a secret is left out, as of `apiToken`.
  public var description: String {
    let object = uid.map { "\(entity) \($0)" } ?? id.map { "\(entity) (row \($0.pk))" } ?? entity
    let names = properties.joined(separator: ", ")
    let (was, has) = properties.count == 1 ? ("was", "has") : ("were", "have")
    let text =
      switch (reason, properties.isEmpty) {
      case (.locallyEdited, false): "\(names) \(was) edited here and not yet acknowledged"
      case (.locallyEdited, true): "it is missing from the response, but was edited here and not yet acknowledged"
      case (.newerAnswer, false): "\(names) \(has) the value of a newer answer"
      case (.newerAnswer, true): "it was not deleted, because a newer answer has it"
      case (.denied, _):
        "it was not deleted, because another object requires it, a delete rule holds it, or it would take unsent work along"
      case (.deletedThere, true):
        "the server deleted it, or an object that takes it along, and it stays for what the server does not have"
      case (.deletedThere, false): "\(names) can't keep an object that was given here, because the server deleted that"
      case (.gone, false): "\(names) can't refer to an object that was deleted"
      case (.gone, true): "it was deleted, and is not made again"
      case (.deletedHere, _): "it was deleted here, and the server has not acknowledged that"
      case (.valueTaken, _): "\(names) \(has) no value any more, because the response gives it to another object"
      case (.unknown, _): "the store does not have it, and the request was to insert none"
      case (.olderVersion, _): "the store has a newer version of it than the response"
      case (.contradicted, _):
        "\(names) \(has) the value of its own key, which names another object than its place does"
      case (.kept, _): "it is missing from the response, and stays because its entity says so"
      case (.unsavedEdit, _): "\(names) \(was) edited here and \(properties.count == 1 ? "is" : "are") not saved"
      case (.merged, _): "\(names) \(was) edited here and merged with the server's value"
      case (.yielded, false): "\(names) \(was) edited here and gave way to the server's value"
      case (.yielded, true): "it was deleted with its edits, because the server deleted it"
      case (.conflict, _): "\(names) \(was) edited here, and a person decides between that and the server's value"
      case (.keptAside, _): "the server deleted it, and a person decides about its edits"
      }
    guard !values.isEmpty else { return "\(object): \(text)" }
    let shown = values.map { properties.count == 1 ? $0.shown : "\($0.property) \($0.shown)" }
    return "\(object): \(text): \(shown.joined(separator: "; "))"
  }
}

/// The changes in a response that the store did not take: the first ``limit`` of them, and how many there are.
///
/// Each element is about one object and one reason.
public struct SkippedChanges: Sendable, RandomAccessCollection {
  /// The most changes that are listed.
  public static let limit = 1_000

  private var listed: [SkippedChange] = []
  /// The number of changes that are not listed.
  private var others: [SkippedChange.Reason: Int] = [:]

  public init() {}

  init(listing changes: [SkippedChange]) {
    listed = Array(changes.prefix(Self.limit))
    for change in changes.dropFirst(Self.limit) { others[change.reason, default: 0] += 1 }
  }

  init(_ changes: [SkippedChange], others: [SkippedChange.Reason: Int]) {
    listed = changes
    self.others = others
  }

  public var startIndex: Int { 0 }
  /// The number of listed changes. How many there are in all is ``total``.
  public var endIndex: Int { listed.count }
  public subscript(position: Int) -> SkippedChange { listed[position] }

  /// The number of changes, including those that are not listed. Of the latter, an object that the response has twice
  /// may count twice.
  public var total: Int { listed.count + others.values.reduce(0, +) }

  /// The number of changes for a reason, including those that are not listed.
  public func total(_ reason: SkippedChange.Reason) -> Int {
    listed.count { $0.reason == reason } + others[reason, default: 0]
  }

  /// Adds the changes of a later response.
  package mutating func add(_ later: SkippedChanges) {
    if later.isEmpty, later.others.isEmpty { return }
    let room = Self.limit - listed.count
    listed += later.listed.prefix(room)
    for change in later.listed.dropFirst(room) { others[change.reason, default: 0] += 1 }
    others.merge(later.others, uniquingKeysWith: +)
  }
}

extension SkippedChanges: CustomStringConvertible {
  /// A line for each of the first changes.
  public var description: String {
    guard total > 0 else { return "nothing was skipped" }
    let lines = listed.prefix(20).map(\.description)
    let more = total - lines.count
    return (lines + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n")
  }
}
