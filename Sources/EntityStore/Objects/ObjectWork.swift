/// Facts about one object that most objects lack: edits that no save has taken, a response that is read into it, a
/// request that carries it.
final class ObjectWork {
  // Each is read or written in one step, and no other code runs meanwhile, so no access needs a check. The last four
  // are changed in place.
  @exclusivity(unchecked) var loose: LooseGraph?
  // The second 64 columns of these sets; the object has the first 64.
  @exclusivity(unchecked) var edited: UInt64 = 0
  @exclusivity(unchecked) var dirty: UInt64 = 0
  @exclusivity(unchecked) var fromResponse: UInt64 = 0
  @exclusivity(unchecked) var saving = ColumnMask()
  @exclusivity(unchecked) var stale = ColumnMask()
  @exclusivity(unchecked) var staleAfterSave = ColumnMask()
  @exclusivity(unchecked) var missing = ColumnMask()
  @exclusivity(unchecked) var heard: Int64 = 0
  @exclusivity(unchecked) var bases = EditBases()
  @exclusivity(unchecked) var forwardedTo: Int64 = 0
  var lists = [Int: Set<Int64>]()
  var sent = [SentEdits.Marker]()
  var kept = [Int: KeptValue]()
  var positions = [Int: Int64]()

  var isEmpty: Bool {
    loose == nil && edited | dirty | fromResponse == 0
      && saving.union(stale).union(staleAfterSave).union(missing).isEmpty
      && bases.isEmpty && forwardedTo == 0 && heard == 0 && lists.isEmpty && sent.isEmpty && kept.isEmpty
      && positions.isEmpty
  }
}
