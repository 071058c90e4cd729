import EntityStore

/// The direction in which a request adds to a list.
enum ListStep: String, Sendable {
  /// The first page.
  case refresh
  /// The page behind the last member.
  case more
  /// The page before the first member.
  case earlier
}

/// A page of a list on its way into the store: what is known before its objects are.
struct ListedPage: Sendable {
  let key: AnswerKey
  let entity: String
  /// The entities of the objects of a page.
  let entities: Set<String>
  let step: ListStep
  /// The walk in which the page was asked for, and its place.
  let walk: Int
  let place: KeptPlace?
  /// The page as an answer; `nil` for one that must not be kept.
  let answer: KeptAnswer?
  let mapping: String
  let next: KeptPlace?
  let earlier: KeptPlace?
  let heard: ListedPagination.Heard.Content
  /// Whether the pagination may count objects or pages, so that a deletion on the server moves all that follows.
  let counts: Bool
  /// Whether the list has members before its first page.
  let hasEarlier: Bool
  let time: Double

  /// Gives the objects their places, in the transaction of the page.
  func take(_ rows: RowWriter, _ objects: ListedObjects) throws {
    let writer = rows.collections
    let note = try writer.note(key)
    let list = note.flatMap { KeptList($0) } ?? KeptList()
    switch step {
    case .refresh:
      guard !writer.hasNewer(key, than: objects.sequence) else { return }
      writer.noteNewest(key, objects.sequence, hasOlder: objects.hasOlder)
      try refresh(writer, note, list, objects)
    case .more, .earlier:
      // The list may have begun anew since the page was asked for, or another task may have brought the page.
      guard let note, list.walk == walk, place == (step == .more ? list.next : list.earlier) else { return }
      try extend(writer, note, list, objects)
    }
  }

  private func refresh(
    _ writer: CollectionWriter, _ note: CollectionNote?, _ list: KeptList, _ objects: ListedObjects
  ) throws {
    guard let members = try writer.members(key, of: entity) else { return }
    var list = list
    var isComplete = note?.isComplete ?? false
    let meeting = try members.meeting(objects.pks, keepsEarlier: hasEarlier)
    if note != nil, next != nil || hasEarlier, meeting.hasTail, fits(meeting) {
      try members.splice(objects.pks, meeting)
    } else if hasEarlier, note != nil, fits(meeting) {
      // The members behind the page, if there were any, have left the list.
      try members.splice(objects.pks, meeting)
      list.next = next
      isComplete = false
    } else {
      try members.replace(objects.pks)
      list.begin(next, earlier)
      isComplete = heard.isConfirmedEnd && next == nil && earlier == nil
    }
    if !objects.areAll { (list.isDoubtful, isComplete) = (true, false) }
    list.total = heard.total
    list.count = objects.pks.count
    list.mapping = mapping
    list.parts = entities.count > 1 ? Dictionary(uniqueKeysWithValues: entities.map { ($0, 0) }) : nil
    list.answer = objects.areAll ? kept(list.answer, note) : nil
    try writer.keep(
      CollectionNote(entity: entity, text: try list.text, time: time, isComplete: isComplete), key,
      isOld: writer.hasWrite(of: entities, after: objects.sequence))
  }

  /// Whether the rest of the list may stay behind the first page.
  ///
  /// In a list whose order stays, the members that are missing between are gone. An object that moved up looks the same,
  /// with those that it has overtaken in their place. Then more are missing than met, or the order has changed. The list
  /// then begins anew, and loses nothing.
  private func fits(_ meeting: CollectionMembers.Meeting) -> Bool {
    guard meeting.known > 0 else { return false }
    return meeting.gone == 0 || meeting.isInOrder && meeting.gone <= meeting.known && !counts
  }

  /// A date that only comes nearer is no other answer.
  private func kept(_ known: KeptAnswer?, _ note: CollectionNote?) -> KeptAnswer? {
    guard let answer, let known, let note, answer.mayBeNoted(as: known, of: note.time, at: time) else { return answer }
    return known
  }

  private func extend(
    _ writer: CollectionWriter, _ note: CollectionNote, _ list: KeptList, _ objects: ListedObjects
  ) throws {
    guard let members = try writer.members(key, of: entity) else { return }
    var (list, note) = (list, note)
    if step == .more {
      try members.append(objects.pks)
      list.next = next
    } else {
      try members.prepend(objects.pks)
      list.earlier = next
    }
    // Fewer objects than before: one was deleted, and those behind it have moved to pages that came already.
    let hasShrunk = if let total = heard.total, let known = list.total { total < known } else { false }
    if !objects.areAll || counts && hasShrunk || next == nil && !heard.isConfirmedEnd { list.isDoubtful = true }
    list.total = heard.total ?? list.total
    let isEnd = list.next == nil && list.earlier == nil && list.isDoubtful != true
    note.isComplete = try isEnd && list.total.map { try members.count() == $0 } ?? true
    note.text = try list.text
    note.time = writer.time(of: key, note)
    try writer.keep(note, key)
  }
}
