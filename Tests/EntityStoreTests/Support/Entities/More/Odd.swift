import EntityMacros
import EntityStore

/// Names that SQL would stumble over; written by hand, for a name in Swift is less.
nonisolated final class Odd: ManagedEntity {
  struct Columns: Sendable {
    let plain = Column<Odd, Int>(0, "select")
    let quoted = Column<Odd, String?>(1, "a \"quoted\" name")
    let unicode = Column<Odd, String?>(2, "naïve 名前 🙂")
    let spaced = Column<Odd, String?>(3, "it's; DROP TABLE x --")
    let group = Column<Odd, Odd?>(4, "group")
    let members = Column<Odd, [Odd]>(5, "order")
  }

  static let columns: Columns = Columns()
  static let entityName: String = "Order \"by\" 表"
  static let properties: [PropertyDescriptor] = [
    .property(\Odd.plain, columns.plain),
    .property(\Odd.quoted, columns.quoted),
    .property(\Odd.unicode, columns.unicode),
    .property(\Odd.spaced, columns.spaced, index: .plain),
    .property(\Odd.group, columns.group),
    .property(\Odd.members, columns.members, inverse: Odd.columns.group),
  ]

  let _$state: ObjectState

  private var _$$plain = Slot<Int>()
  private var _$$quoted = Slot<String?>()
  private var _$$unicode = Slot<String?>()
  private var _$$spaced = Slot<String?>()
  private var _$$group = Slot<Odd?>()
  private var _$$members = Slot<[Odd]>()

  init(_ state: ObjectState) { _$state = state }

  var plain: Int {
    get { _get(\.plain, Self.columns.plain, _$$plain) }
    set { _set(\.plain, Self.columns.plain, _$$plain, newValue) { _$$plain = $0 } }
  }

  var quoted: String? {
    get { _get(\.quoted, Self.columns.quoted, _$$quoted) }
    set { _set(\.quoted, Self.columns.quoted, _$$quoted, newValue) { _$$quoted = $0 } }
  }

  var unicode: String? {
    get { _get(\.unicode, Self.columns.unicode, _$$unicode) }
    set { _set(\.unicode, Self.columns.unicode, _$$unicode, newValue) { _$$unicode = $0 } }
  }

  var spaced: String? {
    get { _get(\.spaced, Self.columns.spaced, _$$spaced) }
    set { _set(\.spaced, Self.columns.spaced, _$$spaced, newValue) { _$$spaced = $0 } }
  }

  var group: Odd? {
    get { _get(\.group, Self.columns.group, _$$group) }
    set { _set(\.group, Self.columns.group, _$$group, newValue) { _$$group = $0 } }
  }

  var members: [Odd] {
    get { _get(\.members, Self.columns.members, _$$members) }
    set { _set(\.members, Self.columns.members, _$$members, newValue) { _$$members = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.plain) { _$$plain = $0 }
    _load(row, Self.columns.quoted) { _$$quoted = $0 }
    _load(row, Self.columns.unicode) { _$$unicode = $0 }
    _load(row, Self.columns.spaced) { _$$spaced = $0 }
    _load(row, Self.columns.group) { _$$group = $0 }
    _load(row, Self.columns.members) { _$$members = $0 }
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.plain, _$$plain)
    _store(&row, Self.columns.quoted, _$$quoted)
    _store(&row, Self.columns.unicode, _$$unicode)
    _store(&row, Self.columns.spaced, _$$spaced)
    _store(&row, Self.columns.group, _$$group)
    _store(&row, Self.columns.members, _$$members)
  }
}

/// Nothing but a row.
@Entity final class Bare {}

/// As many properties as there may be.
@Entity final class Wide {
  var p0: Int
  var p1: Int
  var p2: Int
  var p3: Int
  var p4: Int
  var p5: Int
  var p6: Int
  var p7: Int
  var p8: Int
  var p9: Int
  var p10: Int
  var p11: Int
  var p12: Int
  var p13: Int
  var p14: Int
  var p15: Int
  var p16: Int
  var p17: Int
  var p18: Int
  var p19: Int
  var p20: Int
  var p21: Int
  var p22: Int
  var p23: Int
  var p24: Int
  var p25: Int
  var p26: Int
  var p27: Int
  var p28: Int
  var p29: Int
  var p30: Int
  var p31: Int
  var p32: Int
  var p33: Int
  var p34: Int
  var p35: Int
  var p36: Int
  var p37: Int
  var p38: Int
  var p39: Int
  var p40: Int
  var p41: Int
  var p42: Int
  var p43: Int
  var p44: Int
  var p45: Int
  var p46: Int
  var p47: Int
  var p48: Int
  var p49: Int
  var p50: Int
  var p51: Int
  var p52: Int
  var p53: Int
  var p54: Int
  var p55: Int
  var p56: Int
  var p57: Int
  var p58: Int
  var p59: Int
  var p60: Int
  var p61: Int
  var p62: Int
  var p63: Int
  var p64: Int
  var p65: Int
  var p66: Int
  var p67: Int
  var p68: Int
  var p69: Int
  var p70: Int
  var p71: Int
  var p72: Int
  var p73: Int
  var p74: Int
  var p75: Int
  var p76: Int
  var p77: Int
  var p78: Int
  var p79: Int
  var p80: Int
  var p81: Int
  var p82: Int
  var p83: Int
  var p84: Int
  var p85: Int
  var p86: Int
  var p87: Int
  var p88: Int
  var p89: Int
  var p90: Int
  var p91: Int
  var p92: Int
  var p93: Int
  var p94: Int
  var p95: Int
  var p96: Int
  var p97: Int
  var p98: Int
  var p99: Int
  var p100: Int
  var p101: Int
  var p102: Int
  var p103: Int
  var p104: Int
  var p105: Int
  var p106: Int
  var p107: Int
  var p108: Int
  var p109: Int
  var p110: Int
  var p111: Int
  var p112: Int
  var p113: Int
  var p114: Int
  var p115: Int
  var p116: Int
  var p117: Int
  var p118: Int
  var p119: Int
  var p120: Int
  var p121: Int
  var p122: Int
  var p123: Int
  var p124: Int
  var p125: Int
  var p126: Int
  var p127: Int
}
