import EntityStore

/// The direction in which a request adds to a list.
enum ListStep: String, Sendable {
  /// The first page.
  case refresh
  /// The page behind the last member.
  case more
  /// The page before the first member.
  case earlier
  /// A page of the changes since the last load.
  case changes
  /// A page of a walk over the whole list; see ``ListWalk``.
  case whole
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
  /// Whether there is no next page. Where the next one can't be told, there is none either, and the page is not the last.
  let isLast: Bool
  let earlier: KeptPlace?
  let heard: ListedPagination.Heard.Content
  /// Whether the pagination may count objects or pages, so that a deletion on the server moves all that follows.
  let counts: Bool
  /// Whether the list has members before its first page.
  let hasEarlier: Bool
  /// Whether the list begins anew with the first page, whatever it has.
  var beginsAnew = false
  /// Whether objects that are made here stand at the end of the list.
  var placesLast = false
  /// Whether the token of the changes is that of the last page.
  var tokenIsLast = false
  /// The walk over changes that the page is of.
  var delta: DeltaWalk?
  /// The walk over the whole list that the page is of.
  var whole: ListWalk?
  let time: Double

  /// Gives the objects their places, in the transaction of the page.
  func take(_ rows: RowWriter, _ objects: ListedObjects) throws {
    let writer = rows.collections
    let note = try writer.note(key)
    let known = note.flatMap { KeptList($0) }
    // A page that was asked for before the list was removed does not fit the new one.
    let list = known ?? KeptList(walk: Int(time * 1_000))
    switch step {
    case .refresh:
      // A response without a body does not say that the list is empty.
      guard heard.isKnown || note == nil else { return }
      guard !writer.hasNewer(key, than: objects.sequence) else { return }
      writer.noteNewest(key, objects.sequence, hasOlder: objects.hasOlder)
      try refresh(writer, known == nil ? nil : note, list, objects)
    case .more, .earlier:
      // The list may have begun anew since the page was asked for, or another task may have brought the page.
      guard let note, list.walk == walk, place == (step == .more ? list.next : list.earlier) else { return }
      try extend(writer, note, list, objects)
    case .changes:
      guard let note, let delta, list.walk == walk, delta.fits(list) else { return }
      // Of two walks at the same time, an older page would undo a newer one.
      guard !writer.hasNewer(key, than: objects.sequence) else { return delta.end() }
      writer.noteNewest(key, objects.sequence, hasOlder: objects.hasOlder)
      try change(writer, note, list, delta, objects)
    case .whole:
      guard let whole else { return }
      // The walk has not come to its end with a page that does not say which objects there are. A list whose rows were evicted
      // begins anew.
      guard let note, known?.walk ?? 0 == walk, known != nil || note.end == .lacking, heard.isKnown else {
        return whole.end()
      }
      try take(whole, writer, note, list, objects)
    }
  }

  /// The members of the list, without those that have left it.
  private func members(_ writer: CollectionWriter, _ objects: ListedObjects) throws -> CollectionMembers? {
    let members = try writer.members(key, of: entity)
    try members?.remove(Array(objects.left))
    return members
  }

  private func refresh(
    _ writer: CollectionWriter, _ note: CollectionNote?, _ list: KeptList, _ objects: ListedObjects
  ) throws {
    guard let members = try members(writer, objects) else { return }
    var list = list
    if try hasLost(list, members) || list.next != nil && isFewer(than: list) { list.isShifted = true }
    let meeting = try members.meeting(objects.pks, keepsEarlier: hasEarlier)
    let isSame =
      list.next == next && list.earlier == earlier && meeting.known == objects.pks.count && meeting.gone == 0
      && meeting.isInOrder && !meeting.hasTail
    list.total = heard.total
    if beginsAnew || note == nil || list.isShifted == true || !isSame && !fits(meeting, next, list) {
      try begin(&list, members, objects)
    } else if !isSame {
      let isEnd = next == nil && heard.isConfirmedEnd
      try members.splice(objects.pks, meeting, isEnd: isEnd)
      // The members behind the page, if there were any, have left the list.
      if !meeting.hasTail || isEnd { list.next = next }
      if counts, list.next != nil { list.isSpliced = true }
      // One was lost or is too many, and another walk finds it, unless the last walk has left the same number.
      if let gap = try gap(list, members), gap != 0, gap != list.gap { try begin(&list, members, objects) }
    } else if next == nil, earlier == nil, heard.isConfirmedEnd {
      // The page is the whole list.
      list.isDoubtful = nil
    }
    if !objects.areAll { list.isDoubtful = true }
    noteGone(&list, objects.hasGone)
    let isComplete = try isWhole(&list, members)
    if beginsAnew { list.nextToken = heard.token }
    if beginsAnew, isComplete { list.token = heard.token }
    let isOld = writer.hasWrite(of: entities, after: objects.sequence)
    // A list with more pages may have the objects that were made here on a page at its end, or before its first one.
    if !isOld, placesLast ? next == nil && heard.isConfirmedEnd : earlier == nil {
      try members.removePlaced(of: entity)
    }
    if counts { list.reached = try members.count() }
    list.count = objects.pks.count
    list.mapping = mapping
    list.parts = parts
    // A 304 would not say where the next page is.
    list.answer = objects.areAll && isTold ? answer : nil
    try writer.keep(
      CollectionNote(entity: entity, text: try list.text, time: time, isComplete: isComplete), key, isOld: isOld)
  }

  private func begin(_ list: inout KeptList, _ members: CollectionMembers, _ objects: ListedObjects) throws {
    try members.replace(objects.pks)
    list.begin(next, earlier)
    if next == nil, !heard.isConfirmedEnd { list.isDoubtful = true }
    if heard.isEarlierUnknown { list.isShifted = true }
  }

  /// Whether the server has deletions of members since the last page, so that those behind them may have moved to a page that
  /// came already.
  private func hasLost(_ list: KeptList, _ members: CollectionMembers) throws -> Bool {
    guard counts, list.next != nil, let reached = list.reached else { return false }
    return try members.count() < reached
  }

  /// The page is from before a deletion that has moved the objects behind it. The page behind this one lacks the first of them.
  private func noteGone(_ list: inout KeptList, _ hasGone: Bool) {
    if counts, hasGone, list.next != nil { list.isShifted = true }
  }

  /// Whether the server has fewer objects than with the page before: some were deleted, and those behind them may have moved to
  /// pages that came already.
  private func isFewer(than list: KeptList) -> Bool {
    guard counts, let total = heard.total, let known = list.total else { return false }
    return total < known
  }

  /// The server's total less the number of members, of a list that was walked to its end; `nil` where nothing is known.
  private func gap(_ list: KeptList, _ members: CollectionMembers) throws -> Int? {
    guard list.next == nil, list.earlier == nil else { return nil }
    return try list.total.map { try $0 - members.count() }
  }

  /// Whether the members are all that the pages had. Notes how many the total has beside them.
  private func isWhole(_ list: inout KeptList, _ members: CollectionMembers) throws -> Bool {
    let gap = try gap(list, members)
    list.gap = gap ?? list.gap
    // The next walk may find what is lost or too many: it is not known that the server's total never fits.
    if gap ?? 0 != 0, list.isSpliced == true { list.isShifted = true }
    guard list.next == nil, list.earlier == nil, list.isDoubtful != true, list.isShifted != true else { return false }
    return gap ?? 0 == 0
  }

  /// Whether the rest of the list may stay behind the first page.
  ///
  /// In a list whose order stays, the members that are missing between are gone. An object that moved up looks the same,
  /// with those that it has overtaken in their place. Then more are missing than met, or the order has changed. The list
  /// then begins anew, and loses nothing.
  private func fits(_ meeting: CollectionMembers.Meeting, _ next: KeptPlace?, _ list: KeptList) -> Bool {
    // A first page that is the whole list says all. One that has all members says where the next page is.
    guard meeting.known > 0, hasEarlier || next != nil && meeting.hasTail else { return false }
    // Whether new objects behind the last known one stand before the rest, or have its place, can't be told.
    guard meeting.endsWithMember || !meeting.hasTail else { return false }
    return meeting.gone == 0 || meeting.isInOrder && meeting.gone <= meeting.known && !counts
  }

  private var parts: [String: Int]? {
    entities.count > 1 ? Dictionary(uniqueKeysWithValues: entities.map { ($0, 0) }) : nil
  }

  /// Whether it is known which page comes next, or that there is none.
  private var isTold: Bool { next != nil || isLast }

  private func extend(
    _ writer: CollectionWriter, _ note: CollectionNote, _ list: KeptList, _ objects: ListedObjects
  ) throws {
    guard let members = try members(writer, objects) else { return }
    var (list, note) = (list, note)
    try checkProgress(&list, members, objects)
    // Where the next page can't be told, this one is asked for again.
    let next = isTold ? self.next : place
    if step == .more {
      if try hasLost(list, members) { list.isShifted = true }
      try members.append(objects.pks)
      list.next = next
    } else {
      try members.prepend(objects.pks)
      list.earlier = next
    }
    if isFewer(than: list) { list.isShifted = true }
    noteGone(&list, objects.hasGone)
    if !objects.areAll || next == nil && !heard.isConfirmedEnd { list.isDoubtful = true }
    list.total = heard.total ?? list.total
    let isEnd = next == nil && heard.isConfirmedEnd && placesLast == (step == .more)
    if isEnd, !writer.hasWrite(of: entities, after: objects.sequence) {
      try members.removePlaced(of: entity)
    }
    if counts { list.reached = try members.count() }
    note.isComplete = try isWhole(&list, members)
    if note.isComplete { list.token = tokenIsLast ? heard.token : list.nextToken }
    note.text = try list.text
    note.time = writer.time(of: key, note)
    try writer.keep(note, key)
  }

  /// Counts the objects of pages in a row that add nothing to the list. Each page of a list is a walk of its own, which does
  /// not see that pages run in a circle, or that a server sends the same page for each number.
  ///
  /// Objects that came meanwhile may have moved the members to later pages, so one page without news proves nothing. More
  /// objects in a row than the list has twice do.
  ///
  /// - Throws: ``RequestError`` of kind `pagination` for pages that do not end.
  private func checkProgress(
    _ list: inout KeptList, _ members: CollectionMembers, _ objects: ListedObjects
  ) throws {
    let count = objects.pks.count
    guard count > 0, next != nil, try members.count(among: objects.pks) == count else {
      list.idle = nil
      return
    }
    let idle = (list.idle ?? 0) + count
    guard try idle <= 2 * members.count() + count else {
      throw RequestError(
        .pagination,
        "The pages go on and bring nothing new: they run in a circle, or the server does not heed which page it is asked for."
      )
    }
    list.idle = idle
  }

  private func take(
    _ whole: ListWalk, _ writer: CollectionWriter, _ note: CollectionNote, _ list: KeptList, _ objects: ListedObjects
  ) throws {
    guard let members = try writer.members(key, of: entity),
      let pages = whole.pages(with: objects, bare: try members.bare(among: objects.pks, of: entity), token: heard.token)
    else { return }
    guard isLast else { return writer.afterCommit { whole.note(pages) } }
    try members.remove(Array(objects.left))
    var list = list
    let pks = try members.existing(pages.pks, of: entity)
    try members.replace(pks)
    list.walk += 1
    list.begin(nil, nil)
    // A member whose deletion was discarded during the walk is still on the server. It can't be told from one that is gone there.
    if !pages.areAll || !heard.isConfirmedEnd || pks.count < pages.pks.count { list.isDoubtful = true }
    if counts, pages.haveGone { list.isDoubtful = true }
    // The values of a member were evicted during the walk. No page of changes would bring them again.
    if try !members.bare(among: pks, of: entity).isSubset(of: pages.bare) { list.isDoubtful = true }
    list.total = heard.total
    if counts { list.reached = try members.count() }
    let isOld = pages.first.map { writer.hasWrite(of: entities, after: $0) } ?? false
    if !isOld, heard.isConfirmedEnd { try members.removePlaced(of: entity) }
    let isComplete = try isWhole(&list, members)
    if isComplete { list.token = tokenIsLast ? heard.token : pages.token }
    list.mapping = mapping
    list.parts = parts
    // The validators are those of the first page alone, and a list with changes asks by its token.
    list.answer = nil
    var kept = CollectionNote(entity: entity, text: try list.text, time: time, isComplete: isComplete)
    // The list is lacking since the walk began, whose pages may be from before.
    if note.end == .lacking, note.mark != whole.mark { kept.mark = note.mark }
    try writer.keep(kept, key, isOld: isOld)
  }

  private func change(
    _ writer: CollectionWriter, _ note: CollectionNote, _ list: KeptList, _ delta: DeltaWalk, _ objects: ListedObjects
  ) throws {
    guard let members = try members(writer, objects) else { return }
    var list = list
    let placed = try members.add(objects.pks, behind: delta.placed)
    let isEnd = next == nil && heard.isConfirmedEnd
    list.token = delta.token(after: heard, isLast: isEnd, areAll: objects.areAll)
    let isOld = writer.hasWrite(of: entities, after: delta.first(objects.sequence))
    if isEnd, !isOld { try members.removePlaced(of: entity) }
    var kept = CollectionNote(
      entity: entity, text: try list.text, time: next == nil ? time : writer.time(of: key, note),
      isComplete: note.isComplete)
    // No walk over changes begins with a list that is lacking: it has been since.
    if note.end == .lacking { kept.mark = note.mark }
    try writer.keep(kept, key, isOld: isOld || next != nil)
    let token = list.token
    writer.afterCommit { delta.note(token, placed: placed) }
  }
}
