/// The facts of one object that most objects have none of: edits that no save has taken, a response that is read into it, a
/// request that carries it.
final class ObjectWork {
  var loose: LooseGraph?
  var dirty = ColumnMask()
  var saving = ColumnMask()
  var fromResponse = ColumnMask()
  var stale = ColumnMask()
  var staleAfterSave = ColumnMask()
  var newer = ColumnMask()
  var settled = ColumnMask()
  var placed = ColumnMask()
  var lists: [Int: Set<Int64>] = [:]
  var bases = EditBases()
  var reading = ObjectState.Reading()
  var forwardedTo: Int64 = 0
  var sent: [SentEdits.Marker] = []
  var kept: [Int: KeptValue] = [:]
  var positions: [Int: Int64] = [:]
}
