/// The properties of an entity by their kinds.
struct PropertyMasks: Sendable {
  let hidden: ColumnMask
  let derived: ColumnMask
  let stored: ColumnMask
  let lists: ColumnMask
  let links: ColumnMask
  let embeddedLists: ColumnMask
  let positions: ColumnMask
  let ordered: ColumnMask
  let sortKeys: ColumnMask
  let arranged: ColumnMask
  let oneToOne: ColumnMask
  let defaulted: ColumnMask
  let normalized: ColumnMask
  let required: ColumnMask
  let unique: ColumnMask
  let ruled: ColumnMask
  let lazy: ColumnMask

  init(_ properties: [PropertyModel]) {
    func mask(_ isIn: (PropertyModel) -> Bool) -> ColumnMask {
      var mask = ColumnMask()
      for property in properties where isIn(property) { mask.insert(property.index) }
      return mask
    }
    hidden = mask(\.isHidden)
    derived = mask(\.isDerived)
    stored = mask(\.isStored)
    lists = mask { $0.membership != nil }
    links = mask { if case .toOne = $0.kind { true } else { false } }
    embeddedLists = mask { if case .toMany = $0.kind { $0.leadsToEmbedded } else { false } }
    positions = mask { $0.positionOf != nil }
    ordered = mask(\.isOrdered)
    sortKeys = properties.compactMap(\.sortKey).reduce(into: ColumnMask()) { $0.insert($1) }
    arranged = mask { $0.arrangement != .none }
    oneToOne = mask(\.isOneToOne)
    defaulted = mask { !$0.defaultValue.isNull }
    normalized = mask { $0.rules?.normalize != nil }
    required = mask(\.isRequired)
    unique = mask(\.isUnique)
    ruled = mask { $0.rules != nil }
    lazy = mask(\.isLazy)
  }
}
