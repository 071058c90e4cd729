/// The facts of one object that most objects have none of: edits that no save has taken, a response that is read into it, a
/// request that carries it.
final class ObjectWork {
  // Each is read or written in one step, and nothing else runs meanwhile, so that no access needs a check. The last four are
  // changed in place.
  @exclusivity(unchecked) var loose: LooseGraph?
  @exclusivity(unchecked) var dirty = ColumnMask()
  @exclusivity(unchecked) var saving = ColumnMask()
  @exclusivity(unchecked) var fromResponse = ColumnMask()
  @exclusivity(unchecked) var stale = ColumnMask()
  @exclusivity(unchecked) var staleAfterSave = ColumnMask()
  @exclusivity(unchecked) var newer = ColumnMask()
  @exclusivity(unchecked) var settled = ColumnMask()
  @exclusivity(unchecked) var placed = ColumnMask()
  @exclusivity(unchecked) var bases = EditBases()
  @exclusivity(unchecked) var reading = ObjectState.Reading()
  @exclusivity(unchecked) var forwardedTo: Int64 = 0
  var lists: [Int: Set<Int64>] = [:]
  var sent: [SentEdits.Marker] = []
  var kept: [Int: KeptValue] = [:]
  var positions: [Int: Int64] = [:]
}
