import EntityJSON
import EntityStore

/// Reads the objects of a response into batches of rows, which go to the file together.
///
/// An object of a batch is written as it would be by itself. Objects whose rules ask the store go by themselves, once the batches
/// before them are written: those with an update by hand, an embedded object or an ordered list, for example.
final class BatchReading {
  private let mapper: Mapper<RowTarget>
  private let rows: RowWriter
  private let batches: RowBatches
  private let batching: ObjectReading.Batching
  // The checks of exclusive access can be left out: a response is read on one thread, and no access to a variable lasts while
  // anything is called that uses the reading.
  /// The objects of the batches, in their order.
  @exclusivity(unchecked) private var objects: [RowBatches.Place] = []
  /// How many objects the batches have at most.
  private let most: Int
  private var session: UpsertSession { mapper.session }
  /// The properties whose values are still to be read, of the object that is being read and of those around it.
  @exclusivity(unchecked) private var pending: [Int] = []
  /// An object of the batches: all have their texts in one document.
  @exclusivity(unchecked) private var first: JSONValue?
  /// How many objects in a row went by themselves, or ended batches of a few objects. The objects of a list are much alike: after
  /// some no other is tried.
  @exclusivity(unchecked) private var misses = 0
  /// Values that no property's type knows, of the object that is being read.
  @exclusivity(unchecked) private var unrecognized: [(plan: MappingPlan, property: Int, value: StoredValue)] = []

  /// - Returns: `nil` where the objects of a response go one by one: their order among other requests counts, or what is asked
  ///   for takes a look at each.
  init?(_ mapper: Mapper<RowTarget>, _ batching: ObjectReading.Batching) {
    let session = mapper.session
    most = session.core.options.rowsInBatch
    guard most > 0, !session.isOrdered, session.kept == nil, session.read == nil,
      session.options.mode == .insertOrUpdate, batching.plan.cells != nil
    else { return nil }
    self.mapper = mapper
    self.batching = batching
    rows = mapper.target.writer
    batches = RowBatches(rows.schema)
  }

  /// Batches of fewer objects don't pay.
  private static let few = 8
  /// A list with more members goes by itself, so that its objects are not held all at once.
  private static let mostMembers = 4_096

  private enum Reading {
    case row(Int)
    /// The batches have one of the objects with other values: which ones come later counts.
    case conflict
    /// The object goes by itself.
    case byItself
  }

  /// The properties that an object has keys for, those with open values among them, and values in another form than in the object: the
  /// lists that paths with brackets lead to.
  private struct Fields {
    var keys: ColumnMask
    var open: ColumnMask
    var shaped: [Int: JSONValue] = [:]
  }

  /// An object of a response, and the row of a batch that it is read into.
  private struct Place {
    let object: JSONObject
    let plan: MappingPlan
    let cells: CellPlan
    let batch: RowBatch
    let row: Int
    /// How deep the object is nested.
    let depth: Int
    /// See ``Fields``.
    let shaped: [Int: JSONValue]

    /// A value that the row has open.
    func value(_ property: Int) -> JSONValue {
      shaped[property] ?? object.value.value(at: batch.table[row, property].bits)
    }
  }

  /// Takes an object into the batches.
  ///
  /// - Returns: `false` for an object that goes by itself. What came before it is written then.
  /// - Throws: ``StoreError``; ``BatchFailure``.
  func take(_ element: JSONValue) throws -> Bool {
    if misses < 16, let object = element.object, !element.isUntyped, !session.gone.areAny, try take(object, element) {
      return true
    }
    misses += 1
    try write()
    return false
  }

  private func take(_ object: JSONObject, _ element: JSONValue) throws -> Bool {
    let plan = batching.plan
    if let first, !element.isOfDocument(of: first) { try write() }
    if batches.isEmpty { begin(element) }
    for attempt in 0..<2 {
      batches.beginObject()
      unrecognized.removeAll(keepingCapacity: true)
      switch try read(object, plan, isNested: false, depth: 0) {
      case .row(let row):
        for (plan, property, value) in unrecognized { plan.noteUnrecognized(property, value) }
        objects.append(.init(entity: plan.model.number, row: row))
        if objects.count >= Self.few { misses = 0 }
        if objects.count >= most || batches.isFull { try write() }
        return true
      case .conflict where attempt == 0 && !objects.isEmpty:
        batches.dropObject()
        if objects.count < Self.few { misses += 1 }
        try write()
        begin(element)
      case .conflict, .byItself:
        batches.dropObject()
        return false
      }
    }
    return false
  }

  private func begin(_ element: JSONValue) {
    first = element
    batches.begin(element.documentBytes)
  }

  /// Writes the batches.
  func write() throws {
    guard !batches.isEmpty else { return }
    try mapper.objects.target.writePending()
    try rows.batches.write(batches, session.policy)
    note()
    for place in objects {
      let batch = batches[place.entity]
      let fate = batch.takeFate(place.row)
      batching.ended(
        MappingOutcome(pk: batch.pk(place.row), isInserted: fate == .inserted, isChanged: fate != .unchanged))
    }
    batches.removeAll()
    objects.removeAll(keepingCapacity: true)
  }

  /// Tells the session of the rows that are written.
  private func note() {
    for batch in batches.filled {
      var present = ColumnMask()
      for number in batch.order {
        let row = batch.rows[Int(number)]
        let pk = batch.pk(Int(number))
        if !row.isReference {
          present.formUnion(row.keys)
          if row.isPlaced { session.agree(pk) }
        }
        if row.isNested, row.fate == .inserted { session.noteInserted(batch.model, pk) }
        session.mention(batch.model, pk)
      }
      session.noteKeys(batch.model, present.subtracting(batch.model.identity))
    }
  }

  // MARK: One object

  /// Reads an object, and those that are nested in it.
  ///
  /// - Parameter wayBack: The link that it has from its place in a list.
  private func read(
    _ object: JSONObject, _ plan: MappingPlan, isNested: Bool, depth: Int, _ wayBack: RowBatch.WayBack? = nil
  ) throws -> Reading {
    guard depth < 16, let cells = plan.cells, try rows.batches.takesBatches(of: plan.model) else { return .byItself }
    let model = plan.model
    let batch = batches[model.number]
    let row = batch.addRow()
    guard let columns = cells.reader.read(object, into: batch.table, row: row) else { return .byItself }
    var fields = Fields(
      keys: ColumnMask(words: columns.present).intersection(model.all),
      open: ColumnMask(words: columns.open).intersection(model.all))
    guard plan.isOne(object), addOthers(of: object, cells, batch, row, &fields), fields.keys.contains(cells.uid),
      model.required.subtracting(fields.keys).subtracting(wayBack.column).isEmpty
    else { return .byItself }
    if let deletion = cells.deletion, !batch.table[row, deletion].isOf(.absent), plan.isDeletion(object) {
      return .byItself
    }
    if fields.open.contains(cells.uid) {
      guard let uid = try? plan.uid(object.value.value(at: batch.table[row, cells.uid].bits)) else { return .byItself }
      batch.table[row, cells.uid] = batch.table.cell(uid)
      fields.open.subtract(ColumnMask(cells.uid))
    }
    // An empty text names nobody.
    guard !batch.table[row, cells.uid].isEmptyText else { return .byItself }
    let known = batch.enter(row, uid: cells.uid, keys: fields.keys, isNested: isNested, source: batches.source)
    let place = Place(
      object: object, plan: plan, cells: cells, batch: batch, row: row, depth: depth, shaped: fields.shaped)
    var lists: [(property: Int, value: JSONValue)] = []
    switch try readOpen(fields.open, of: place, &lists) {
    case .conflict: return .conflict
    case .byItself: return .byItself
    case .row: break
    }
    if let wayBack, !batch.setWayBack(row, wayBack) { return .byItself }
    if let known {
      if lists.isEmpty, batch.repeats(row, known, source: batches.source) { return .row(known) }
      return batch.isEarlier(known) ? .conflict : .byItself
    }
    batches.end(row, of: model.number)
    for (property, value) in lists {
      switch try readList(value, plan, property, of: row, depth: depth) {
      case .row: continue
      case .conflict: return .conflict
      case .byItself: return .byItself
      }
    }
    return .row(row)
  }

  /// Converts the values that the reader left open, and reads the objects of links. Lists are read once the row is whole.
  ///
  /// - Returns: The row itself, where all of it can go by batch.
  private func readOpen(
    _ open: ColumnMask, of place: Place, _ lists: inout [(property: Int, value: JSONValue)]
  ) throws -> Reading {
    let (plan, batch, row) = (place.plan, place.batch, place.row)
    let first = pending.count
    defer { pending.removeLast(pending.count - first) }
    addPending(open, place.cells, batch, row)
    for index in first..<pending.count {
      let property = pending[index]
      let value = plan.related(property, place.value(property))
      switch plan.model.properties[property].kind {
      case .attribute(let type, let isOptional):
        guard let stored = plan.storedValue(property, value, type, isOptional: isOptional) else { return .byItself }
        if !stored.isRecognized { unrecognized.append((plan, property, stored.value)) }
        batch.table[row, property] = batch.table.cell(stored.value)
      case .toOne(let target, _, _):
        switch try link(value, plan, property, session.plan(target), depth: place.depth) {
        case .row(let target): batch.table[row, property] = JSONCell(.open, bits: Int64(target))
        case .none: batch.table[row, property] = .null
        case .conflict: return .conflict
        case .byItself: return .byItself
        }
      case .toMany, .manyToMany: lists.append((property, value))
      }
    }
    return .row(row)
  }

  /// Notes the properties whose values are open, in the order of the object's keys, and those with paths behind them.
  private func addPending(_ open: ColumnMask, _ cells: CellPlan, _ batch: RowBatch, _ row: Int) {
    let values = open.subtracting(cells.ofPaths)
    if values.count == 1 {
      pending.append(contentsOf: values.indices)
    } else if !values.isEmpty {
      pending += values.indices.sorted { (batch.table[row, $0].bits, $0) < (batch.table[row, $1].bits, $1) }
    }
    let paths = open.intersection(cells.ofPaths)
    if !paths.isEmpty { pending.append(contentsOf: paths.indices) }
  }

  /// Leaves open the values of properties that share a key, and of those whose key is a path.
  ///
  /// - Returns: `false` for an object that goes by itself: the path means something else in it.
  private func addOthers(
    of object: JSONObject, _ cells: CellPlan, _ batch: RowBatch, _ row: Int, _ fields: inout Fields
  ) -> Bool {
    for (first, others) in cells.twins where fields.keys.contains(first) {
      for twin in others {
        batch.table[row, twin] = batch.table[row, first]
        fields.keys.insert(twin)
        fields.open.insert(twin)
      }
    }
    for path in cells.paths {
      let property = path.property
      guard let value = path.value(in: object) else {
        if object.hasDotsInKeys(path.key) { return false }
        continue
      }
      // The cells of a row have their texts in one document. Null and an empty list have none.
      let hasNoText = value.isNull || value.array?.isEmpty == true
      guard hasNoText || value.hasText(of: object.value) else { return false }
      if path.isOfMany || hasNoText {
        guard value.fault == nil else { return false }
        fields.shaped[property] = value
      }
      batch.table[row, property] = value.openCell
      fields.keys.insert(property)
      fields.open.insert(property)
    }
    return true
  }

  private enum Link {
    case row(Int)
    case none, conflict, byItself
  }

  /// The row that a to-one value names.
  private func link(
    _ value: JSONValue, _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, depth: Int
  ) throws -> Link {
    guard target.cells != nil else { return .byItself }
    if let object = value.object {
      switch try read(object, target, isNested: true, depth: depth + 1) {
      case .row(let row): return .row(row)
      case .conflict: return .conflict
      case .byItself: return .byItself
      }
    }
    let isRequired = plan.model.required.contains(property)
    if value.isNull { return isRequired ? .byItself : .none }
    switch try reference(value, plan, property, target, nil) {
    case .row(let row): return .row(row)
    case .none: return isRequired ? .byItself : .none
    case .conflict: return .conflict
    case .byItself: return .byItself
    }
  }

  /// The row of an object of which the response has the id alone.
  private func reference(
    _ value: JSONValue, _ plan: MappingPlan, _ property: Int, _ target: MappingPlan, _ wayBack: RowBatch.WayBack?
  ) throws -> Link {
    guard let cells = target.cells, target.discriminator == nil, target.name(in: value) == nil,
      target.isReference(value),
      try rows.batches.takesBatches(of: target.model)
    else {
      return .byItself
    }
    let uid: StoredValue
    do {
      guard let named = try plan.link(property, to: target, value) else { return .none }
      uid = named
    } catch {
      // The object by itself tells the error, with its place.
      return .byItself
    }
    let batch = batches[target.model.number]
    switch batch.reference(cells.uid, batch.table.cell(uid), wayBack, source: batches.source) {
    case .row(let row, let isNew):
      if isNew { batches.end(row, of: target.model.number) }
      return .row(row)
    case .conflict: return .conflict
    case .unended: return .byItself
    }
  }

  /// Reads the members of a to-many or many-to-many relationship.
  private func readList(
    _ value: JSONValue, _ plan: MappingPlan, _ property: Int, of owner: Int, depth: Int
  ) throws -> Reading {
    let model = plan.model
    guard session.policy.keepsEdits, !session.embedsUnnamed, !session.areAnyOverruled,
      value.isNull || value.array != nil, value.array?.count ?? 0 <= Self.mostMembers
    else { return .byItself }
    guard let list = model.properties[property].list,
      list.member != nil || !model.properties[property].isCounterpart && !model.ordered.contains(property)
    else { return .byItself }
    let target = session.plan(list.target)
    let wayBack = list.member == nil ? RowBatch.WayBack(property: list.owner, owner: owner) : nil
    guard target.cells != nil else { return .byItself }
    var members: [Int] = []
    for (position, element) in (value.array ?? []).enumerated() where !element.isNull || element.fault != nil {
      if position % 64 == 63 { try Task.checkCancellation() }
      if let object = element.object {
        let reading = try read(object, target, isNested: true, depth: depth + 1, wayBack)
        guard case .row(let row) = reading else { return reading }
        members.append(row)
        continue
      }
      switch try reference(element, plan, property, target, wayBack) {
      case .row(let row): members.append(row)
      case .none: continue
      case .conflict: return .conflict
      case .byItself: return .byItself
      }
    }
    batches.end(
      RowList(property, of: .init(entity: model.number, row: owner), member: target.model.number, members))
    return .row(owner)
  }
}

extension RowBatch.WayBack? {
  fileprivate var column: ColumnMask { map { ColumnMask($0.property) } ?? ColumnMask() }
}
