import EntityStore
import Observation

// Entities that make no schema.

nonisolated final class Nameless: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<Nameless, Int>(0, "")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Nameless.x, columns.x)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class Reserved: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<Reserved, Int>(0, "_pk")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Reserved.x, columns.x)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class Comma: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<Comma, Int>(0, "a,b")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Comma.x, columns.x)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class Twice: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<Twice, Int>(0, "Name")
    let y = Column<Twice, Int>(1, "name")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Twice.x, columns.x),
    .property(\Twice.y, columns.y),
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()
  private var _$$y = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  var y: Int {
    get { _get(\.y, Self.columns.y, _$$y) }
    set { _set(\.y, Self.columns.y, _$$y, newValue) { _$$y = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
    _load(row, Self.columns.y, &_$$y)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
    _store(&row, Self.columns.y, _$$y)
  }
}

nonisolated final class TwoUIDs: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<TwoUIDs, Int>(0, "x")
    let y = Column<TwoUIDs, Int>(1, "y")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\TwoUIDs.x, columns.x, uid: true),
    .property(\TwoUIDs.y, columns.y, uid: true),
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()
  private var _$$y = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  var y: Int {
    get { _get(\.y, Self.columns.y, _$$y) }
    set { _set(\.y, Self.columns.y, _$$y, newValue) { _$$y = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
    _load(row, Self.columns.y, &_$$y)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
    _store(&row, Self.columns.y, _$$y)
  }
}

nonisolated final class TooWide: ManagedEntity {
  struct Columns: Sendable {
    let p0 = Column<TooWide, Int>(0, "p0")
    let p1 = Column<TooWide, Int>(1, "p1")
    let p2 = Column<TooWide, Int>(2, "p2")
    let p3 = Column<TooWide, Int>(3, "p3")
    let p4 = Column<TooWide, Int>(4, "p4")
    let p5 = Column<TooWide, Int>(5, "p5")
    let p6 = Column<TooWide, Int>(6, "p6")
    let p7 = Column<TooWide, Int>(7, "p7")
    let p8 = Column<TooWide, Int>(8, "p8")
    let p9 = Column<TooWide, Int>(9, "p9")
    let p10 = Column<TooWide, Int>(10, "p10")
    let p11 = Column<TooWide, Int>(11, "p11")
    let p12 = Column<TooWide, Int>(12, "p12")
    let p13 = Column<TooWide, Int>(13, "p13")
    let p14 = Column<TooWide, Int>(14, "p14")
    let p15 = Column<TooWide, Int>(15, "p15")
    let p16 = Column<TooWide, Int>(16, "p16")
    let p17 = Column<TooWide, Int>(17, "p17")
    let p18 = Column<TooWide, Int>(18, "p18")
    let p19 = Column<TooWide, Int>(19, "p19")
    let p20 = Column<TooWide, Int>(20, "p20")
    let p21 = Column<TooWide, Int>(21, "p21")
    let p22 = Column<TooWide, Int>(22, "p22")
    let p23 = Column<TooWide, Int>(23, "p23")
    let p24 = Column<TooWide, Int>(24, "p24")
    let p25 = Column<TooWide, Int>(25, "p25")
    let p26 = Column<TooWide, Int>(26, "p26")
    let p27 = Column<TooWide, Int>(27, "p27")
    let p28 = Column<TooWide, Int>(28, "p28")
    let p29 = Column<TooWide, Int>(29, "p29")
    let p30 = Column<TooWide, Int>(30, "p30")
    let p31 = Column<TooWide, Int>(31, "p31")
    let p32 = Column<TooWide, Int>(32, "p32")
    let p33 = Column<TooWide, Int>(33, "p33")
    let p34 = Column<TooWide, Int>(34, "p34")
    let p35 = Column<TooWide, Int>(35, "p35")
    let p36 = Column<TooWide, Int>(36, "p36")
    let p37 = Column<TooWide, Int>(37, "p37")
    let p38 = Column<TooWide, Int>(38, "p38")
    let p39 = Column<TooWide, Int>(39, "p39")
    let p40 = Column<TooWide, Int>(40, "p40")
    let p41 = Column<TooWide, Int>(41, "p41")
    let p42 = Column<TooWide, Int>(42, "p42")
    let p43 = Column<TooWide, Int>(43, "p43")
    let p44 = Column<TooWide, Int>(44, "p44")
    let p45 = Column<TooWide, Int>(45, "p45")
    let p46 = Column<TooWide, Int>(46, "p46")
    let p47 = Column<TooWide, Int>(47, "p47")
    let p48 = Column<TooWide, Int>(48, "p48")
    let p49 = Column<TooWide, Int>(49, "p49")
    let p50 = Column<TooWide, Int>(50, "p50")
    let p51 = Column<TooWide, Int>(51, "p51")
    let p52 = Column<TooWide, Int>(52, "p52")
    let p53 = Column<TooWide, Int>(53, "p53")
    let p54 = Column<TooWide, Int>(54, "p54")
    let p55 = Column<TooWide, Int>(55, "p55")
    let p56 = Column<TooWide, Int>(56, "p56")
    let p57 = Column<TooWide, Int>(57, "p57")
    let p58 = Column<TooWide, Int>(58, "p58")
    let p59 = Column<TooWide, Int>(59, "p59")
    let p60 = Column<TooWide, Int>(60, "p60")
    let p61 = Column<TooWide, Int>(61, "p61")
    let p62 = Column<TooWide, Int>(62, "p62")
    let p63 = Column<TooWide, Int>(63, "p63")
    let p64 = Column<TooWide, Int>(64, "p64")
    let p65 = Column<TooWide, Int>(65, "p65")
    let p66 = Column<TooWide, Int>(66, "p66")
    let p67 = Column<TooWide, Int>(67, "p67")
    let p68 = Column<TooWide, Int>(68, "p68")
    let p69 = Column<TooWide, Int>(69, "p69")
    let p70 = Column<TooWide, Int>(70, "p70")
    let p71 = Column<TooWide, Int>(71, "p71")
    let p72 = Column<TooWide, Int>(72, "p72")
    let p73 = Column<TooWide, Int>(73, "p73")
    let p74 = Column<TooWide, Int>(74, "p74")
    let p75 = Column<TooWide, Int>(75, "p75")
    let p76 = Column<TooWide, Int>(76, "p76")
    let p77 = Column<TooWide, Int>(77, "p77")
    let p78 = Column<TooWide, Int>(78, "p78")
    let p79 = Column<TooWide, Int>(79, "p79")
    let p80 = Column<TooWide, Int>(80, "p80")
    let p81 = Column<TooWide, Int>(81, "p81")
    let p82 = Column<TooWide, Int>(82, "p82")
    let p83 = Column<TooWide, Int>(83, "p83")
    let p84 = Column<TooWide, Int>(84, "p84")
    let p85 = Column<TooWide, Int>(85, "p85")
    let p86 = Column<TooWide, Int>(86, "p86")
    let p87 = Column<TooWide, Int>(87, "p87")
    let p88 = Column<TooWide, Int>(88, "p88")
    let p89 = Column<TooWide, Int>(89, "p89")
    let p90 = Column<TooWide, Int>(90, "p90")
    let p91 = Column<TooWide, Int>(91, "p91")
    let p92 = Column<TooWide, Int>(92, "p92")
    let p93 = Column<TooWide, Int>(93, "p93")
    let p94 = Column<TooWide, Int>(94, "p94")
    let p95 = Column<TooWide, Int>(95, "p95")
    let p96 = Column<TooWide, Int>(96, "p96")
    let p97 = Column<TooWide, Int>(97, "p97")
    let p98 = Column<TooWide, Int>(98, "p98")
    let p99 = Column<TooWide, Int>(99, "p99")
    let p100 = Column<TooWide, Int>(100, "p100")
    let p101 = Column<TooWide, Int>(101, "p101")
    let p102 = Column<TooWide, Int>(102, "p102")
    let p103 = Column<TooWide, Int>(103, "p103")
    let p104 = Column<TooWide, Int>(104, "p104")
    let p105 = Column<TooWide, Int>(105, "p105")
    let p106 = Column<TooWide, Int>(106, "p106")
    let p107 = Column<TooWide, Int>(107, "p107")
    let p108 = Column<TooWide, Int>(108, "p108")
    let p109 = Column<TooWide, Int>(109, "p109")
    let p110 = Column<TooWide, Int>(110, "p110")
    let p111 = Column<TooWide, Int>(111, "p111")
    let p112 = Column<TooWide, Int>(112, "p112")
    let p113 = Column<TooWide, Int>(113, "p113")
    let p114 = Column<TooWide, Int>(114, "p114")
    let p115 = Column<TooWide, Int>(115, "p115")
    let p116 = Column<TooWide, Int>(116, "p116")
    let p117 = Column<TooWide, Int>(117, "p117")
    let p118 = Column<TooWide, Int>(118, "p118")
    let p119 = Column<TooWide, Int>(119, "p119")
    let p120 = Column<TooWide, Int>(120, "p120")
    let p121 = Column<TooWide, Int>(121, "p121")
    let p122 = Column<TooWide, Int>(122, "p122")
    let p123 = Column<TooWide, Int>(123, "p123")
    let p124 = Column<TooWide, Int>(124, "p124")
    let p125 = Column<TooWide, Int>(125, "p125")
    let p126 = Column<TooWide, Int>(126, "p126")
    let p127 = Column<TooWide, Int>(127, "p127")
    let p128 = Column<TooWide, Int>(128, "p128")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\TooWide.p0, columns.p0),
    .property(\TooWide.p1, columns.p1),
    .property(\TooWide.p2, columns.p2),
    .property(\TooWide.p3, columns.p3),
    .property(\TooWide.p4, columns.p4),
    .property(\TooWide.p5, columns.p5),
    .property(\TooWide.p6, columns.p6),
    .property(\TooWide.p7, columns.p7),
    .property(\TooWide.p8, columns.p8),
    .property(\TooWide.p9, columns.p9),
    .property(\TooWide.p10, columns.p10),
    .property(\TooWide.p11, columns.p11),
    .property(\TooWide.p12, columns.p12),
    .property(\TooWide.p13, columns.p13),
    .property(\TooWide.p14, columns.p14),
    .property(\TooWide.p15, columns.p15),
    .property(\TooWide.p16, columns.p16),
    .property(\TooWide.p17, columns.p17),
    .property(\TooWide.p18, columns.p18),
    .property(\TooWide.p19, columns.p19),
    .property(\TooWide.p20, columns.p20),
    .property(\TooWide.p21, columns.p21),
    .property(\TooWide.p22, columns.p22),
    .property(\TooWide.p23, columns.p23),
    .property(\TooWide.p24, columns.p24),
    .property(\TooWide.p25, columns.p25),
    .property(\TooWide.p26, columns.p26),
    .property(\TooWide.p27, columns.p27),
    .property(\TooWide.p28, columns.p28),
    .property(\TooWide.p29, columns.p29),
    .property(\TooWide.p30, columns.p30),
    .property(\TooWide.p31, columns.p31),
    .property(\TooWide.p32, columns.p32),
    .property(\TooWide.p33, columns.p33),
    .property(\TooWide.p34, columns.p34),
    .property(\TooWide.p35, columns.p35),
    .property(\TooWide.p36, columns.p36),
    .property(\TooWide.p37, columns.p37),
    .property(\TooWide.p38, columns.p38),
    .property(\TooWide.p39, columns.p39),
    .property(\TooWide.p40, columns.p40),
    .property(\TooWide.p41, columns.p41),
    .property(\TooWide.p42, columns.p42),
    .property(\TooWide.p43, columns.p43),
    .property(\TooWide.p44, columns.p44),
    .property(\TooWide.p45, columns.p45),
    .property(\TooWide.p46, columns.p46),
    .property(\TooWide.p47, columns.p47),
    .property(\TooWide.p48, columns.p48),
    .property(\TooWide.p49, columns.p49),
    .property(\TooWide.p50, columns.p50),
    .property(\TooWide.p51, columns.p51),
    .property(\TooWide.p52, columns.p52),
    .property(\TooWide.p53, columns.p53),
    .property(\TooWide.p54, columns.p54),
    .property(\TooWide.p55, columns.p55),
    .property(\TooWide.p56, columns.p56),
    .property(\TooWide.p57, columns.p57),
    .property(\TooWide.p58, columns.p58),
    .property(\TooWide.p59, columns.p59),
    .property(\TooWide.p60, columns.p60),
    .property(\TooWide.p61, columns.p61),
    .property(\TooWide.p62, columns.p62),
    .property(\TooWide.p63, columns.p63),
    .property(\TooWide.p64, columns.p64),
    .property(\TooWide.p65, columns.p65),
    .property(\TooWide.p66, columns.p66),
    .property(\TooWide.p67, columns.p67),
    .property(\TooWide.p68, columns.p68),
    .property(\TooWide.p69, columns.p69),
    .property(\TooWide.p70, columns.p70),
    .property(\TooWide.p71, columns.p71),
    .property(\TooWide.p72, columns.p72),
    .property(\TooWide.p73, columns.p73),
    .property(\TooWide.p74, columns.p74),
    .property(\TooWide.p75, columns.p75),
    .property(\TooWide.p76, columns.p76),
    .property(\TooWide.p77, columns.p77),
    .property(\TooWide.p78, columns.p78),
    .property(\TooWide.p79, columns.p79),
    .property(\TooWide.p80, columns.p80),
    .property(\TooWide.p81, columns.p81),
    .property(\TooWide.p82, columns.p82),
    .property(\TooWide.p83, columns.p83),
    .property(\TooWide.p84, columns.p84),
    .property(\TooWide.p85, columns.p85),
    .property(\TooWide.p86, columns.p86),
    .property(\TooWide.p87, columns.p87),
    .property(\TooWide.p88, columns.p88),
    .property(\TooWide.p89, columns.p89),
    .property(\TooWide.p90, columns.p90),
    .property(\TooWide.p91, columns.p91),
    .property(\TooWide.p92, columns.p92),
    .property(\TooWide.p93, columns.p93),
    .property(\TooWide.p94, columns.p94),
    .property(\TooWide.p95, columns.p95),
    .property(\TooWide.p96, columns.p96),
    .property(\TooWide.p97, columns.p97),
    .property(\TooWide.p98, columns.p98),
    .property(\TooWide.p99, columns.p99),
    .property(\TooWide.p100, columns.p100),
    .property(\TooWide.p101, columns.p101),
    .property(\TooWide.p102, columns.p102),
    .property(\TooWide.p103, columns.p103),
    .property(\TooWide.p104, columns.p104),
    .property(\TooWide.p105, columns.p105),
    .property(\TooWide.p106, columns.p106),
    .property(\TooWide.p107, columns.p107),
    .property(\TooWide.p108, columns.p108),
    .property(\TooWide.p109, columns.p109),
    .property(\TooWide.p110, columns.p110),
    .property(\TooWide.p111, columns.p111),
    .property(\TooWide.p112, columns.p112),
    .property(\TooWide.p113, columns.p113),
    .property(\TooWide.p114, columns.p114),
    .property(\TooWide.p115, columns.p115),
    .property(\TooWide.p116, columns.p116),
    .property(\TooWide.p117, columns.p117),
    .property(\TooWide.p118, columns.p118),
    .property(\TooWide.p119, columns.p119),
    .property(\TooWide.p120, columns.p120),
    .property(\TooWide.p121, columns.p121),
    .property(\TooWide.p122, columns.p122),
    .property(\TooWide.p123, columns.p123),
    .property(\TooWide.p124, columns.p124),
    .property(\TooWide.p125, columns.p125),
    .property(\TooWide.p126, columns.p126),
    .property(\TooWide.p127, columns.p127),
    .property(\TooWide.p128, columns.p128),
  ]

  let _$state: ObjectState

  private var _$$p0 = Slot<Int>()
  private var _$$p1 = Slot<Int>()
  private var _$$p2 = Slot<Int>()
  private var _$$p3 = Slot<Int>()
  private var _$$p4 = Slot<Int>()
  private var _$$p5 = Slot<Int>()
  private var _$$p6 = Slot<Int>()
  private var _$$p7 = Slot<Int>()
  private var _$$p8 = Slot<Int>()
  private var _$$p9 = Slot<Int>()
  private var _$$p10 = Slot<Int>()
  private var _$$p11 = Slot<Int>()
  private var _$$p12 = Slot<Int>()
  private var _$$p13 = Slot<Int>()
  private var _$$p14 = Slot<Int>()
  private var _$$p15 = Slot<Int>()
  private var _$$p16 = Slot<Int>()
  private var _$$p17 = Slot<Int>()
  private var _$$p18 = Slot<Int>()
  private var _$$p19 = Slot<Int>()
  private var _$$p20 = Slot<Int>()
  private var _$$p21 = Slot<Int>()
  private var _$$p22 = Slot<Int>()
  private var _$$p23 = Slot<Int>()
  private var _$$p24 = Slot<Int>()
  private var _$$p25 = Slot<Int>()
  private var _$$p26 = Slot<Int>()
  private var _$$p27 = Slot<Int>()
  private var _$$p28 = Slot<Int>()
  private var _$$p29 = Slot<Int>()
  private var _$$p30 = Slot<Int>()
  private var _$$p31 = Slot<Int>()
  private var _$$p32 = Slot<Int>()
  private var _$$p33 = Slot<Int>()
  private var _$$p34 = Slot<Int>()
  private var _$$p35 = Slot<Int>()
  private var _$$p36 = Slot<Int>()
  private var _$$p37 = Slot<Int>()
  private var _$$p38 = Slot<Int>()
  private var _$$p39 = Slot<Int>()
  private var _$$p40 = Slot<Int>()
  private var _$$p41 = Slot<Int>()
  private var _$$p42 = Slot<Int>()
  private var _$$p43 = Slot<Int>()
  private var _$$p44 = Slot<Int>()
  private var _$$p45 = Slot<Int>()
  private var _$$p46 = Slot<Int>()
  private var _$$p47 = Slot<Int>()
  private var _$$p48 = Slot<Int>()
  private var _$$p49 = Slot<Int>()
  private var _$$p50 = Slot<Int>()
  private var _$$p51 = Slot<Int>()
  private var _$$p52 = Slot<Int>()
  private var _$$p53 = Slot<Int>()
  private var _$$p54 = Slot<Int>()
  private var _$$p55 = Slot<Int>()
  private var _$$p56 = Slot<Int>()
  private var _$$p57 = Slot<Int>()
  private var _$$p58 = Slot<Int>()
  private var _$$p59 = Slot<Int>()
  private var _$$p60 = Slot<Int>()
  private var _$$p61 = Slot<Int>()
  private var _$$p62 = Slot<Int>()
  private var _$$p63 = Slot<Int>()
  private var _$$p64 = Slot<Int>()
  private var _$$p65 = Slot<Int>()
  private var _$$p66 = Slot<Int>()
  private var _$$p67 = Slot<Int>()
  private var _$$p68 = Slot<Int>()
  private var _$$p69 = Slot<Int>()
  private var _$$p70 = Slot<Int>()
  private var _$$p71 = Slot<Int>()
  private var _$$p72 = Slot<Int>()
  private var _$$p73 = Slot<Int>()
  private var _$$p74 = Slot<Int>()
  private var _$$p75 = Slot<Int>()
  private var _$$p76 = Slot<Int>()
  private var _$$p77 = Slot<Int>()
  private var _$$p78 = Slot<Int>()
  private var _$$p79 = Slot<Int>()
  private var _$$p80 = Slot<Int>()
  private var _$$p81 = Slot<Int>()
  private var _$$p82 = Slot<Int>()
  private var _$$p83 = Slot<Int>()
  private var _$$p84 = Slot<Int>()
  private var _$$p85 = Slot<Int>()
  private var _$$p86 = Slot<Int>()
  private var _$$p87 = Slot<Int>()
  private var _$$p88 = Slot<Int>()
  private var _$$p89 = Slot<Int>()
  private var _$$p90 = Slot<Int>()
  private var _$$p91 = Slot<Int>()
  private var _$$p92 = Slot<Int>()
  private var _$$p93 = Slot<Int>()
  private var _$$p94 = Slot<Int>()
  private var _$$p95 = Slot<Int>()
  private var _$$p96 = Slot<Int>()
  private var _$$p97 = Slot<Int>()
  private var _$$p98 = Slot<Int>()
  private var _$$p99 = Slot<Int>()
  private var _$$p100 = Slot<Int>()
  private var _$$p101 = Slot<Int>()
  private var _$$p102 = Slot<Int>()
  private var _$$p103 = Slot<Int>()
  private var _$$p104 = Slot<Int>()
  private var _$$p105 = Slot<Int>()
  private var _$$p106 = Slot<Int>()
  private var _$$p107 = Slot<Int>()
  private var _$$p108 = Slot<Int>()
  private var _$$p109 = Slot<Int>()
  private var _$$p110 = Slot<Int>()
  private var _$$p111 = Slot<Int>()
  private var _$$p112 = Slot<Int>()
  private var _$$p113 = Slot<Int>()
  private var _$$p114 = Slot<Int>()
  private var _$$p115 = Slot<Int>()
  private var _$$p116 = Slot<Int>()
  private var _$$p117 = Slot<Int>()
  private var _$$p118 = Slot<Int>()
  private var _$$p119 = Slot<Int>()
  private var _$$p120 = Slot<Int>()
  private var _$$p121 = Slot<Int>()
  private var _$$p122 = Slot<Int>()
  private var _$$p123 = Slot<Int>()
  private var _$$p124 = Slot<Int>()
  private var _$$p125 = Slot<Int>()
  private var _$$p126 = Slot<Int>()
  private var _$$p127 = Slot<Int>()
  private var _$$p128 = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var p0: Int {
    get { _get(\.p0, Self.columns.p0, _$$p0) }
    set { _set(\.p0, Self.columns.p0, _$$p0, newValue) { _$$p0 = $0 } }
  }

  var p1: Int {
    get { _get(\.p1, Self.columns.p1, _$$p1) }
    set { _set(\.p1, Self.columns.p1, _$$p1, newValue) { _$$p1 = $0 } }
  }

  var p2: Int {
    get { _get(\.p2, Self.columns.p2, _$$p2) }
    set { _set(\.p2, Self.columns.p2, _$$p2, newValue) { _$$p2 = $0 } }
  }

  var p3: Int {
    get { _get(\.p3, Self.columns.p3, _$$p3) }
    set { _set(\.p3, Self.columns.p3, _$$p3, newValue) { _$$p3 = $0 } }
  }

  var p4: Int {
    get { _get(\.p4, Self.columns.p4, _$$p4) }
    set { _set(\.p4, Self.columns.p4, _$$p4, newValue) { _$$p4 = $0 } }
  }

  var p5: Int {
    get { _get(\.p5, Self.columns.p5, _$$p5) }
    set { _set(\.p5, Self.columns.p5, _$$p5, newValue) { _$$p5 = $0 } }
  }

  var p6: Int {
    get { _get(\.p6, Self.columns.p6, _$$p6) }
    set { _set(\.p6, Self.columns.p6, _$$p6, newValue) { _$$p6 = $0 } }
  }

  var p7: Int {
    get { _get(\.p7, Self.columns.p7, _$$p7) }
    set { _set(\.p7, Self.columns.p7, _$$p7, newValue) { _$$p7 = $0 } }
  }

  var p8: Int {
    get { _get(\.p8, Self.columns.p8, _$$p8) }
    set { _set(\.p8, Self.columns.p8, _$$p8, newValue) { _$$p8 = $0 } }
  }

  var p9: Int {
    get { _get(\.p9, Self.columns.p9, _$$p9) }
    set { _set(\.p9, Self.columns.p9, _$$p9, newValue) { _$$p9 = $0 } }
  }

  var p10: Int {
    get { _get(\.p10, Self.columns.p10, _$$p10) }
    set { _set(\.p10, Self.columns.p10, _$$p10, newValue) { _$$p10 = $0 } }
  }

  var p11: Int {
    get { _get(\.p11, Self.columns.p11, _$$p11) }
    set { _set(\.p11, Self.columns.p11, _$$p11, newValue) { _$$p11 = $0 } }
  }

  var p12: Int {
    get { _get(\.p12, Self.columns.p12, _$$p12) }
    set { _set(\.p12, Self.columns.p12, _$$p12, newValue) { _$$p12 = $0 } }
  }

  var p13: Int {
    get { _get(\.p13, Self.columns.p13, _$$p13) }
    set { _set(\.p13, Self.columns.p13, _$$p13, newValue) { _$$p13 = $0 } }
  }

  var p14: Int {
    get { _get(\.p14, Self.columns.p14, _$$p14) }
    set { _set(\.p14, Self.columns.p14, _$$p14, newValue) { _$$p14 = $0 } }
  }

  var p15: Int {
    get { _get(\.p15, Self.columns.p15, _$$p15) }
    set { _set(\.p15, Self.columns.p15, _$$p15, newValue) { _$$p15 = $0 } }
  }

  var p16: Int {
    get { _get(\.p16, Self.columns.p16, _$$p16) }
    set { _set(\.p16, Self.columns.p16, _$$p16, newValue) { _$$p16 = $0 } }
  }

  var p17: Int {
    get { _get(\.p17, Self.columns.p17, _$$p17) }
    set { _set(\.p17, Self.columns.p17, _$$p17, newValue) { _$$p17 = $0 } }
  }

  var p18: Int {
    get { _get(\.p18, Self.columns.p18, _$$p18) }
    set { _set(\.p18, Self.columns.p18, _$$p18, newValue) { _$$p18 = $0 } }
  }

  var p19: Int {
    get { _get(\.p19, Self.columns.p19, _$$p19) }
    set { _set(\.p19, Self.columns.p19, _$$p19, newValue) { _$$p19 = $0 } }
  }

  var p20: Int {
    get { _get(\.p20, Self.columns.p20, _$$p20) }
    set { _set(\.p20, Self.columns.p20, _$$p20, newValue) { _$$p20 = $0 } }
  }

  var p21: Int {
    get { _get(\.p21, Self.columns.p21, _$$p21) }
    set { _set(\.p21, Self.columns.p21, _$$p21, newValue) { _$$p21 = $0 } }
  }

  var p22: Int {
    get { _get(\.p22, Self.columns.p22, _$$p22) }
    set { _set(\.p22, Self.columns.p22, _$$p22, newValue) { _$$p22 = $0 } }
  }

  var p23: Int {
    get { _get(\.p23, Self.columns.p23, _$$p23) }
    set { _set(\.p23, Self.columns.p23, _$$p23, newValue) { _$$p23 = $0 } }
  }

  var p24: Int {
    get { _get(\.p24, Self.columns.p24, _$$p24) }
    set { _set(\.p24, Self.columns.p24, _$$p24, newValue) { _$$p24 = $0 } }
  }

  var p25: Int {
    get { _get(\.p25, Self.columns.p25, _$$p25) }
    set { _set(\.p25, Self.columns.p25, _$$p25, newValue) { _$$p25 = $0 } }
  }

  var p26: Int {
    get { _get(\.p26, Self.columns.p26, _$$p26) }
    set { _set(\.p26, Self.columns.p26, _$$p26, newValue) { _$$p26 = $0 } }
  }

  var p27: Int {
    get { _get(\.p27, Self.columns.p27, _$$p27) }
    set { _set(\.p27, Self.columns.p27, _$$p27, newValue) { _$$p27 = $0 } }
  }

  var p28: Int {
    get { _get(\.p28, Self.columns.p28, _$$p28) }
    set { _set(\.p28, Self.columns.p28, _$$p28, newValue) { _$$p28 = $0 } }
  }

  var p29: Int {
    get { _get(\.p29, Self.columns.p29, _$$p29) }
    set { _set(\.p29, Self.columns.p29, _$$p29, newValue) { _$$p29 = $0 } }
  }

  var p30: Int {
    get { _get(\.p30, Self.columns.p30, _$$p30) }
    set { _set(\.p30, Self.columns.p30, _$$p30, newValue) { _$$p30 = $0 } }
  }

  var p31: Int {
    get { _get(\.p31, Self.columns.p31, _$$p31) }
    set { _set(\.p31, Self.columns.p31, _$$p31, newValue) { _$$p31 = $0 } }
  }

  var p32: Int {
    get { _get(\.p32, Self.columns.p32, _$$p32) }
    set { _set(\.p32, Self.columns.p32, _$$p32, newValue) { _$$p32 = $0 } }
  }

  var p33: Int {
    get { _get(\.p33, Self.columns.p33, _$$p33) }
    set { _set(\.p33, Self.columns.p33, _$$p33, newValue) { _$$p33 = $0 } }
  }

  var p34: Int {
    get { _get(\.p34, Self.columns.p34, _$$p34) }
    set { _set(\.p34, Self.columns.p34, _$$p34, newValue) { _$$p34 = $0 } }
  }

  var p35: Int {
    get { _get(\.p35, Self.columns.p35, _$$p35) }
    set { _set(\.p35, Self.columns.p35, _$$p35, newValue) { _$$p35 = $0 } }
  }

  var p36: Int {
    get { _get(\.p36, Self.columns.p36, _$$p36) }
    set { _set(\.p36, Self.columns.p36, _$$p36, newValue) { _$$p36 = $0 } }
  }

  var p37: Int {
    get { _get(\.p37, Self.columns.p37, _$$p37) }
    set { _set(\.p37, Self.columns.p37, _$$p37, newValue) { _$$p37 = $0 } }
  }

  var p38: Int {
    get { _get(\.p38, Self.columns.p38, _$$p38) }
    set { _set(\.p38, Self.columns.p38, _$$p38, newValue) { _$$p38 = $0 } }
  }

  var p39: Int {
    get { _get(\.p39, Self.columns.p39, _$$p39) }
    set { _set(\.p39, Self.columns.p39, _$$p39, newValue) { _$$p39 = $0 } }
  }

  var p40: Int {
    get { _get(\.p40, Self.columns.p40, _$$p40) }
    set { _set(\.p40, Self.columns.p40, _$$p40, newValue) { _$$p40 = $0 } }
  }

  var p41: Int {
    get { _get(\.p41, Self.columns.p41, _$$p41) }
    set { _set(\.p41, Self.columns.p41, _$$p41, newValue) { _$$p41 = $0 } }
  }

  var p42: Int {
    get { _get(\.p42, Self.columns.p42, _$$p42) }
    set { _set(\.p42, Self.columns.p42, _$$p42, newValue) { _$$p42 = $0 } }
  }

  var p43: Int {
    get { _get(\.p43, Self.columns.p43, _$$p43) }
    set { _set(\.p43, Self.columns.p43, _$$p43, newValue) { _$$p43 = $0 } }
  }

  var p44: Int {
    get { _get(\.p44, Self.columns.p44, _$$p44) }
    set { _set(\.p44, Self.columns.p44, _$$p44, newValue) { _$$p44 = $0 } }
  }

  var p45: Int {
    get { _get(\.p45, Self.columns.p45, _$$p45) }
    set { _set(\.p45, Self.columns.p45, _$$p45, newValue) { _$$p45 = $0 } }
  }

  var p46: Int {
    get { _get(\.p46, Self.columns.p46, _$$p46) }
    set { _set(\.p46, Self.columns.p46, _$$p46, newValue) { _$$p46 = $0 } }
  }

  var p47: Int {
    get { _get(\.p47, Self.columns.p47, _$$p47) }
    set { _set(\.p47, Self.columns.p47, _$$p47, newValue) { _$$p47 = $0 } }
  }

  var p48: Int {
    get { _get(\.p48, Self.columns.p48, _$$p48) }
    set { _set(\.p48, Self.columns.p48, _$$p48, newValue) { _$$p48 = $0 } }
  }

  var p49: Int {
    get { _get(\.p49, Self.columns.p49, _$$p49) }
    set { _set(\.p49, Self.columns.p49, _$$p49, newValue) { _$$p49 = $0 } }
  }

  var p50: Int {
    get { _get(\.p50, Self.columns.p50, _$$p50) }
    set { _set(\.p50, Self.columns.p50, _$$p50, newValue) { _$$p50 = $0 } }
  }

  var p51: Int {
    get { _get(\.p51, Self.columns.p51, _$$p51) }
    set { _set(\.p51, Self.columns.p51, _$$p51, newValue) { _$$p51 = $0 } }
  }

  var p52: Int {
    get { _get(\.p52, Self.columns.p52, _$$p52) }
    set { _set(\.p52, Self.columns.p52, _$$p52, newValue) { _$$p52 = $0 } }
  }

  var p53: Int {
    get { _get(\.p53, Self.columns.p53, _$$p53) }
    set { _set(\.p53, Self.columns.p53, _$$p53, newValue) { _$$p53 = $0 } }
  }

  var p54: Int {
    get { _get(\.p54, Self.columns.p54, _$$p54) }
    set { _set(\.p54, Self.columns.p54, _$$p54, newValue) { _$$p54 = $0 } }
  }

  var p55: Int {
    get { _get(\.p55, Self.columns.p55, _$$p55) }
    set { _set(\.p55, Self.columns.p55, _$$p55, newValue) { _$$p55 = $0 } }
  }

  var p56: Int {
    get { _get(\.p56, Self.columns.p56, _$$p56) }
    set { _set(\.p56, Self.columns.p56, _$$p56, newValue) { _$$p56 = $0 } }
  }

  var p57: Int {
    get { _get(\.p57, Self.columns.p57, _$$p57) }
    set { _set(\.p57, Self.columns.p57, _$$p57, newValue) { _$$p57 = $0 } }
  }

  var p58: Int {
    get { _get(\.p58, Self.columns.p58, _$$p58) }
    set { _set(\.p58, Self.columns.p58, _$$p58, newValue) { _$$p58 = $0 } }
  }

  var p59: Int {
    get { _get(\.p59, Self.columns.p59, _$$p59) }
    set { _set(\.p59, Self.columns.p59, _$$p59, newValue) { _$$p59 = $0 } }
  }

  var p60: Int {
    get { _get(\.p60, Self.columns.p60, _$$p60) }
    set { _set(\.p60, Self.columns.p60, _$$p60, newValue) { _$$p60 = $0 } }
  }

  var p61: Int {
    get { _get(\.p61, Self.columns.p61, _$$p61) }
    set { _set(\.p61, Self.columns.p61, _$$p61, newValue) { _$$p61 = $0 } }
  }

  var p62: Int {
    get { _get(\.p62, Self.columns.p62, _$$p62) }
    set { _set(\.p62, Self.columns.p62, _$$p62, newValue) { _$$p62 = $0 } }
  }

  var p63: Int {
    get { _get(\.p63, Self.columns.p63, _$$p63) }
    set { _set(\.p63, Self.columns.p63, _$$p63, newValue) { _$$p63 = $0 } }
  }

  var p64: Int {
    get { _get(\.p64, Self.columns.p64, _$$p64) }
    set { _set(\.p64, Self.columns.p64, _$$p64, newValue) { _$$p64 = $0 } }
  }

  var p65: Int {
    get { _get(\.p65, Self.columns.p65, _$$p65) }
    set { _set(\.p65, Self.columns.p65, _$$p65, newValue) { _$$p65 = $0 } }
  }

  var p66: Int {
    get { _get(\.p66, Self.columns.p66, _$$p66) }
    set { _set(\.p66, Self.columns.p66, _$$p66, newValue) { _$$p66 = $0 } }
  }

  var p67: Int {
    get { _get(\.p67, Self.columns.p67, _$$p67) }
    set { _set(\.p67, Self.columns.p67, _$$p67, newValue) { _$$p67 = $0 } }
  }

  var p68: Int {
    get { _get(\.p68, Self.columns.p68, _$$p68) }
    set { _set(\.p68, Self.columns.p68, _$$p68, newValue) { _$$p68 = $0 } }
  }

  var p69: Int {
    get { _get(\.p69, Self.columns.p69, _$$p69) }
    set { _set(\.p69, Self.columns.p69, _$$p69, newValue) { _$$p69 = $0 } }
  }

  var p70: Int {
    get { _get(\.p70, Self.columns.p70, _$$p70) }
    set { _set(\.p70, Self.columns.p70, _$$p70, newValue) { _$$p70 = $0 } }
  }

  var p71: Int {
    get { _get(\.p71, Self.columns.p71, _$$p71) }
    set { _set(\.p71, Self.columns.p71, _$$p71, newValue) { _$$p71 = $0 } }
  }

  var p72: Int {
    get { _get(\.p72, Self.columns.p72, _$$p72) }
    set { _set(\.p72, Self.columns.p72, _$$p72, newValue) { _$$p72 = $0 } }
  }

  var p73: Int {
    get { _get(\.p73, Self.columns.p73, _$$p73) }
    set { _set(\.p73, Self.columns.p73, _$$p73, newValue) { _$$p73 = $0 } }
  }

  var p74: Int {
    get { _get(\.p74, Self.columns.p74, _$$p74) }
    set { _set(\.p74, Self.columns.p74, _$$p74, newValue) { _$$p74 = $0 } }
  }

  var p75: Int {
    get { _get(\.p75, Self.columns.p75, _$$p75) }
    set { _set(\.p75, Self.columns.p75, _$$p75, newValue) { _$$p75 = $0 } }
  }

  var p76: Int {
    get { _get(\.p76, Self.columns.p76, _$$p76) }
    set { _set(\.p76, Self.columns.p76, _$$p76, newValue) { _$$p76 = $0 } }
  }

  var p77: Int {
    get { _get(\.p77, Self.columns.p77, _$$p77) }
    set { _set(\.p77, Self.columns.p77, _$$p77, newValue) { _$$p77 = $0 } }
  }

  var p78: Int {
    get { _get(\.p78, Self.columns.p78, _$$p78) }
    set { _set(\.p78, Self.columns.p78, _$$p78, newValue) { _$$p78 = $0 } }
  }

  var p79: Int {
    get { _get(\.p79, Self.columns.p79, _$$p79) }
    set { _set(\.p79, Self.columns.p79, _$$p79, newValue) { _$$p79 = $0 } }
  }

  var p80: Int {
    get { _get(\.p80, Self.columns.p80, _$$p80) }
    set { _set(\.p80, Self.columns.p80, _$$p80, newValue) { _$$p80 = $0 } }
  }

  var p81: Int {
    get { _get(\.p81, Self.columns.p81, _$$p81) }
    set { _set(\.p81, Self.columns.p81, _$$p81, newValue) { _$$p81 = $0 } }
  }

  var p82: Int {
    get { _get(\.p82, Self.columns.p82, _$$p82) }
    set { _set(\.p82, Self.columns.p82, _$$p82, newValue) { _$$p82 = $0 } }
  }

  var p83: Int {
    get { _get(\.p83, Self.columns.p83, _$$p83) }
    set { _set(\.p83, Self.columns.p83, _$$p83, newValue) { _$$p83 = $0 } }
  }

  var p84: Int {
    get { _get(\.p84, Self.columns.p84, _$$p84) }
    set { _set(\.p84, Self.columns.p84, _$$p84, newValue) { _$$p84 = $0 } }
  }

  var p85: Int {
    get { _get(\.p85, Self.columns.p85, _$$p85) }
    set { _set(\.p85, Self.columns.p85, _$$p85, newValue) { _$$p85 = $0 } }
  }

  var p86: Int {
    get { _get(\.p86, Self.columns.p86, _$$p86) }
    set { _set(\.p86, Self.columns.p86, _$$p86, newValue) { _$$p86 = $0 } }
  }

  var p87: Int {
    get { _get(\.p87, Self.columns.p87, _$$p87) }
    set { _set(\.p87, Self.columns.p87, _$$p87, newValue) { _$$p87 = $0 } }
  }

  var p88: Int {
    get { _get(\.p88, Self.columns.p88, _$$p88) }
    set { _set(\.p88, Self.columns.p88, _$$p88, newValue) { _$$p88 = $0 } }
  }

  var p89: Int {
    get { _get(\.p89, Self.columns.p89, _$$p89) }
    set { _set(\.p89, Self.columns.p89, _$$p89, newValue) { _$$p89 = $0 } }
  }

  var p90: Int {
    get { _get(\.p90, Self.columns.p90, _$$p90) }
    set { _set(\.p90, Self.columns.p90, _$$p90, newValue) { _$$p90 = $0 } }
  }

  var p91: Int {
    get { _get(\.p91, Self.columns.p91, _$$p91) }
    set { _set(\.p91, Self.columns.p91, _$$p91, newValue) { _$$p91 = $0 } }
  }

  var p92: Int {
    get { _get(\.p92, Self.columns.p92, _$$p92) }
    set { _set(\.p92, Self.columns.p92, _$$p92, newValue) { _$$p92 = $0 } }
  }

  var p93: Int {
    get { _get(\.p93, Self.columns.p93, _$$p93) }
    set { _set(\.p93, Self.columns.p93, _$$p93, newValue) { _$$p93 = $0 } }
  }

  var p94: Int {
    get { _get(\.p94, Self.columns.p94, _$$p94) }
    set { _set(\.p94, Self.columns.p94, _$$p94, newValue) { _$$p94 = $0 } }
  }

  var p95: Int {
    get { _get(\.p95, Self.columns.p95, _$$p95) }
    set { _set(\.p95, Self.columns.p95, _$$p95, newValue) { _$$p95 = $0 } }
  }

  var p96: Int {
    get { _get(\.p96, Self.columns.p96, _$$p96) }
    set { _set(\.p96, Self.columns.p96, _$$p96, newValue) { _$$p96 = $0 } }
  }

  var p97: Int {
    get { _get(\.p97, Self.columns.p97, _$$p97) }
    set { _set(\.p97, Self.columns.p97, _$$p97, newValue) { _$$p97 = $0 } }
  }

  var p98: Int {
    get { _get(\.p98, Self.columns.p98, _$$p98) }
    set { _set(\.p98, Self.columns.p98, _$$p98, newValue) { _$$p98 = $0 } }
  }

  var p99: Int {
    get { _get(\.p99, Self.columns.p99, _$$p99) }
    set { _set(\.p99, Self.columns.p99, _$$p99, newValue) { _$$p99 = $0 } }
  }

  var p100: Int {
    get { _get(\.p100, Self.columns.p100, _$$p100) }
    set { _set(\.p100, Self.columns.p100, _$$p100, newValue) { _$$p100 = $0 } }
  }

  var p101: Int {
    get { _get(\.p101, Self.columns.p101, _$$p101) }
    set { _set(\.p101, Self.columns.p101, _$$p101, newValue) { _$$p101 = $0 } }
  }

  var p102: Int {
    get { _get(\.p102, Self.columns.p102, _$$p102) }
    set { _set(\.p102, Self.columns.p102, _$$p102, newValue) { _$$p102 = $0 } }
  }

  var p103: Int {
    get { _get(\.p103, Self.columns.p103, _$$p103) }
    set { _set(\.p103, Self.columns.p103, _$$p103, newValue) { _$$p103 = $0 } }
  }

  var p104: Int {
    get { _get(\.p104, Self.columns.p104, _$$p104) }
    set { _set(\.p104, Self.columns.p104, _$$p104, newValue) { _$$p104 = $0 } }
  }

  var p105: Int {
    get { _get(\.p105, Self.columns.p105, _$$p105) }
    set { _set(\.p105, Self.columns.p105, _$$p105, newValue) { _$$p105 = $0 } }
  }

  var p106: Int {
    get { _get(\.p106, Self.columns.p106, _$$p106) }
    set { _set(\.p106, Self.columns.p106, _$$p106, newValue) { _$$p106 = $0 } }
  }

  var p107: Int {
    get { _get(\.p107, Self.columns.p107, _$$p107) }
    set { _set(\.p107, Self.columns.p107, _$$p107, newValue) { _$$p107 = $0 } }
  }

  var p108: Int {
    get { _get(\.p108, Self.columns.p108, _$$p108) }
    set { _set(\.p108, Self.columns.p108, _$$p108, newValue) { _$$p108 = $0 } }
  }

  var p109: Int {
    get { _get(\.p109, Self.columns.p109, _$$p109) }
    set { _set(\.p109, Self.columns.p109, _$$p109, newValue) { _$$p109 = $0 } }
  }

  var p110: Int {
    get { _get(\.p110, Self.columns.p110, _$$p110) }
    set { _set(\.p110, Self.columns.p110, _$$p110, newValue) { _$$p110 = $0 } }
  }

  var p111: Int {
    get { _get(\.p111, Self.columns.p111, _$$p111) }
    set { _set(\.p111, Self.columns.p111, _$$p111, newValue) { _$$p111 = $0 } }
  }

  var p112: Int {
    get { _get(\.p112, Self.columns.p112, _$$p112) }
    set { _set(\.p112, Self.columns.p112, _$$p112, newValue) { _$$p112 = $0 } }
  }

  var p113: Int {
    get { _get(\.p113, Self.columns.p113, _$$p113) }
    set { _set(\.p113, Self.columns.p113, _$$p113, newValue) { _$$p113 = $0 } }
  }

  var p114: Int {
    get { _get(\.p114, Self.columns.p114, _$$p114) }
    set { _set(\.p114, Self.columns.p114, _$$p114, newValue) { _$$p114 = $0 } }
  }

  var p115: Int {
    get { _get(\.p115, Self.columns.p115, _$$p115) }
    set { _set(\.p115, Self.columns.p115, _$$p115, newValue) { _$$p115 = $0 } }
  }

  var p116: Int {
    get { _get(\.p116, Self.columns.p116, _$$p116) }
    set { _set(\.p116, Self.columns.p116, _$$p116, newValue) { _$$p116 = $0 } }
  }

  var p117: Int {
    get { _get(\.p117, Self.columns.p117, _$$p117) }
    set { _set(\.p117, Self.columns.p117, _$$p117, newValue) { _$$p117 = $0 } }
  }

  var p118: Int {
    get { _get(\.p118, Self.columns.p118, _$$p118) }
    set { _set(\.p118, Self.columns.p118, _$$p118, newValue) { _$$p118 = $0 } }
  }

  var p119: Int {
    get { _get(\.p119, Self.columns.p119, _$$p119) }
    set { _set(\.p119, Self.columns.p119, _$$p119, newValue) { _$$p119 = $0 } }
  }

  var p120: Int {
    get { _get(\.p120, Self.columns.p120, _$$p120) }
    set { _set(\.p120, Self.columns.p120, _$$p120, newValue) { _$$p120 = $0 } }
  }

  var p121: Int {
    get { _get(\.p121, Self.columns.p121, _$$p121) }
    set { _set(\.p121, Self.columns.p121, _$$p121, newValue) { _$$p121 = $0 } }
  }

  var p122: Int {
    get { _get(\.p122, Self.columns.p122, _$$p122) }
    set { _set(\.p122, Self.columns.p122, _$$p122, newValue) { _$$p122 = $0 } }
  }

  var p123: Int {
    get { _get(\.p123, Self.columns.p123, _$$p123) }
    set { _set(\.p123, Self.columns.p123, _$$p123, newValue) { _$$p123 = $0 } }
  }

  var p124: Int {
    get { _get(\.p124, Self.columns.p124, _$$p124) }
    set { _set(\.p124, Self.columns.p124, _$$p124, newValue) { _$$p124 = $0 } }
  }

  var p125: Int {
    get { _get(\.p125, Self.columns.p125, _$$p125) }
    set { _set(\.p125, Self.columns.p125, _$$p125, newValue) { _$$p125 = $0 } }
  }

  var p126: Int {
    get { _get(\.p126, Self.columns.p126, _$$p126) }
    set { _set(\.p126, Self.columns.p126, _$$p126, newValue) { _$$p126 = $0 } }
  }

  var p127: Int {
    get { _get(\.p127, Self.columns.p127, _$$p127) }
    set { _set(\.p127, Self.columns.p127, _$$p127, newValue) { _$$p127 = $0 } }
  }

  var p128: Int {
    get { _get(\.p128, Self.columns.p128, _$$p128) }
    set { _set(\.p128, Self.columns.p128, _$$p128, newValue) { _$$p128 = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.p0, &_$$p0)
    _load(row, Self.columns.p1, &_$$p1)
    _load(row, Self.columns.p2, &_$$p2)
    _load(row, Self.columns.p3, &_$$p3)
    _load(row, Self.columns.p4, &_$$p4)
    _load(row, Self.columns.p5, &_$$p5)
    _load(row, Self.columns.p6, &_$$p6)
    _load(row, Self.columns.p7, &_$$p7)
    _load(row, Self.columns.p8, &_$$p8)
    _load(row, Self.columns.p9, &_$$p9)
    _load(row, Self.columns.p10, &_$$p10)
    _load(row, Self.columns.p11, &_$$p11)
    _load(row, Self.columns.p12, &_$$p12)
    _load(row, Self.columns.p13, &_$$p13)
    _load(row, Self.columns.p14, &_$$p14)
    _load(row, Self.columns.p15, &_$$p15)
    _load(row, Self.columns.p16, &_$$p16)
    _load(row, Self.columns.p17, &_$$p17)
    _load(row, Self.columns.p18, &_$$p18)
    _load(row, Self.columns.p19, &_$$p19)
    _load(row, Self.columns.p20, &_$$p20)
    _load(row, Self.columns.p21, &_$$p21)
    _load(row, Self.columns.p22, &_$$p22)
    _load(row, Self.columns.p23, &_$$p23)
    _load(row, Self.columns.p24, &_$$p24)
    _load(row, Self.columns.p25, &_$$p25)
    _load(row, Self.columns.p26, &_$$p26)
    _load(row, Self.columns.p27, &_$$p27)
    _load(row, Self.columns.p28, &_$$p28)
    _load(row, Self.columns.p29, &_$$p29)
    _load(row, Self.columns.p30, &_$$p30)
    _load(row, Self.columns.p31, &_$$p31)
    _load(row, Self.columns.p32, &_$$p32)
    _load(row, Self.columns.p33, &_$$p33)
    _load(row, Self.columns.p34, &_$$p34)
    _load(row, Self.columns.p35, &_$$p35)
    _load(row, Self.columns.p36, &_$$p36)
    _load(row, Self.columns.p37, &_$$p37)
    _load(row, Self.columns.p38, &_$$p38)
    _load(row, Self.columns.p39, &_$$p39)
    _load(row, Self.columns.p40, &_$$p40)
    _load(row, Self.columns.p41, &_$$p41)
    _load(row, Self.columns.p42, &_$$p42)
    _load(row, Self.columns.p43, &_$$p43)
    _load(row, Self.columns.p44, &_$$p44)
    _load(row, Self.columns.p45, &_$$p45)
    _load(row, Self.columns.p46, &_$$p46)
    _load(row, Self.columns.p47, &_$$p47)
    _load(row, Self.columns.p48, &_$$p48)
    _load(row, Self.columns.p49, &_$$p49)
    _load(row, Self.columns.p50, &_$$p50)
    _load(row, Self.columns.p51, &_$$p51)
    _load(row, Self.columns.p52, &_$$p52)
    _load(row, Self.columns.p53, &_$$p53)
    _load(row, Self.columns.p54, &_$$p54)
    _load(row, Self.columns.p55, &_$$p55)
    _load(row, Self.columns.p56, &_$$p56)
    _load(row, Self.columns.p57, &_$$p57)
    _load(row, Self.columns.p58, &_$$p58)
    _load(row, Self.columns.p59, &_$$p59)
    _load(row, Self.columns.p60, &_$$p60)
    _load(row, Self.columns.p61, &_$$p61)
    _load(row, Self.columns.p62, &_$$p62)
    _load(row, Self.columns.p63, &_$$p63)
    _load(row, Self.columns.p64, &_$$p64)
    _load(row, Self.columns.p65, &_$$p65)
    _load(row, Self.columns.p66, &_$$p66)
    _load(row, Self.columns.p67, &_$$p67)
    _load(row, Self.columns.p68, &_$$p68)
    _load(row, Self.columns.p69, &_$$p69)
    _load(row, Self.columns.p70, &_$$p70)
    _load(row, Self.columns.p71, &_$$p71)
    _load(row, Self.columns.p72, &_$$p72)
    _load(row, Self.columns.p73, &_$$p73)
    _load(row, Self.columns.p74, &_$$p74)
    _load(row, Self.columns.p75, &_$$p75)
    _load(row, Self.columns.p76, &_$$p76)
    _load(row, Self.columns.p77, &_$$p77)
    _load(row, Self.columns.p78, &_$$p78)
    _load(row, Self.columns.p79, &_$$p79)
    _load(row, Self.columns.p80, &_$$p80)
    _load(row, Self.columns.p81, &_$$p81)
    _load(row, Self.columns.p82, &_$$p82)
    _load(row, Self.columns.p83, &_$$p83)
    _load(row, Self.columns.p84, &_$$p84)
    _load(row, Self.columns.p85, &_$$p85)
    _load(row, Self.columns.p86, &_$$p86)
    _load(row, Self.columns.p87, &_$$p87)
    _load(row, Self.columns.p88, &_$$p88)
    _load(row, Self.columns.p89, &_$$p89)
    _load(row, Self.columns.p90, &_$$p90)
    _load(row, Self.columns.p91, &_$$p91)
    _load(row, Self.columns.p92, &_$$p92)
    _load(row, Self.columns.p93, &_$$p93)
    _load(row, Self.columns.p94, &_$$p94)
    _load(row, Self.columns.p95, &_$$p95)
    _load(row, Self.columns.p96, &_$$p96)
    _load(row, Self.columns.p97, &_$$p97)
    _load(row, Self.columns.p98, &_$$p98)
    _load(row, Self.columns.p99, &_$$p99)
    _load(row, Self.columns.p100, &_$$p100)
    _load(row, Self.columns.p101, &_$$p101)
    _load(row, Self.columns.p102, &_$$p102)
    _load(row, Self.columns.p103, &_$$p103)
    _load(row, Self.columns.p104, &_$$p104)
    _load(row, Self.columns.p105, &_$$p105)
    _load(row, Self.columns.p106, &_$$p106)
    _load(row, Self.columns.p107, &_$$p107)
    _load(row, Self.columns.p108, &_$$p108)
    _load(row, Self.columns.p109, &_$$p109)
    _load(row, Self.columns.p110, &_$$p110)
    _load(row, Self.columns.p111, &_$$p111)
    _load(row, Self.columns.p112, &_$$p112)
    _load(row, Self.columns.p113, &_$$p113)
    _load(row, Self.columns.p114, &_$$p114)
    _load(row, Self.columns.p115, &_$$p115)
    _load(row, Self.columns.p116, &_$$p116)
    _load(row, Self.columns.p117, &_$$p117)
    _load(row, Self.columns.p118, &_$$p118)
    _load(row, Self.columns.p119, &_$$p119)
    _load(row, Self.columns.p120, &_$$p120)
    _load(row, Self.columns.p121, &_$$p121)
    _load(row, Self.columns.p122, &_$$p122)
    _load(row, Self.columns.p123, &_$$p123)
    _load(row, Self.columns.p124, &_$$p124)
    _load(row, Self.columns.p125, &_$$p125)
    _load(row, Self.columns.p126, &_$$p126)
    _load(row, Self.columns.p127, &_$$p127)
    _load(row, Self.columns.p128, &_$$p128)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.p0, _$$p0)
    _store(&row, Self.columns.p1, _$$p1)
    _store(&row, Self.columns.p2, _$$p2)
    _store(&row, Self.columns.p3, _$$p3)
    _store(&row, Self.columns.p4, _$$p4)
    _store(&row, Self.columns.p5, _$$p5)
    _store(&row, Self.columns.p6, _$$p6)
    _store(&row, Self.columns.p7, _$$p7)
    _store(&row, Self.columns.p8, _$$p8)
    _store(&row, Self.columns.p9, _$$p9)
    _store(&row, Self.columns.p10, _$$p10)
    _store(&row, Self.columns.p11, _$$p11)
    _store(&row, Self.columns.p12, _$$p12)
    _store(&row, Self.columns.p13, _$$p13)
    _store(&row, Self.columns.p14, _$$p14)
    _store(&row, Self.columns.p15, _$$p15)
    _store(&row, Self.columns.p16, _$$p16)
    _store(&row, Self.columns.p17, _$$p17)
    _store(&row, Self.columns.p18, _$$p18)
    _store(&row, Self.columns.p19, _$$p19)
    _store(&row, Self.columns.p20, _$$p20)
    _store(&row, Self.columns.p21, _$$p21)
    _store(&row, Self.columns.p22, _$$p22)
    _store(&row, Self.columns.p23, _$$p23)
    _store(&row, Self.columns.p24, _$$p24)
    _store(&row, Self.columns.p25, _$$p25)
    _store(&row, Self.columns.p26, _$$p26)
    _store(&row, Self.columns.p27, _$$p27)
    _store(&row, Self.columns.p28, _$$p28)
    _store(&row, Self.columns.p29, _$$p29)
    _store(&row, Self.columns.p30, _$$p30)
    _store(&row, Self.columns.p31, _$$p31)
    _store(&row, Self.columns.p32, _$$p32)
    _store(&row, Self.columns.p33, _$$p33)
    _store(&row, Self.columns.p34, _$$p34)
    _store(&row, Self.columns.p35, _$$p35)
    _store(&row, Self.columns.p36, _$$p36)
    _store(&row, Self.columns.p37, _$$p37)
    _store(&row, Self.columns.p38, _$$p38)
    _store(&row, Self.columns.p39, _$$p39)
    _store(&row, Self.columns.p40, _$$p40)
    _store(&row, Self.columns.p41, _$$p41)
    _store(&row, Self.columns.p42, _$$p42)
    _store(&row, Self.columns.p43, _$$p43)
    _store(&row, Self.columns.p44, _$$p44)
    _store(&row, Self.columns.p45, _$$p45)
    _store(&row, Self.columns.p46, _$$p46)
    _store(&row, Self.columns.p47, _$$p47)
    _store(&row, Self.columns.p48, _$$p48)
    _store(&row, Self.columns.p49, _$$p49)
    _store(&row, Self.columns.p50, _$$p50)
    _store(&row, Self.columns.p51, _$$p51)
    _store(&row, Self.columns.p52, _$$p52)
    _store(&row, Self.columns.p53, _$$p53)
    _store(&row, Self.columns.p54, _$$p54)
    _store(&row, Self.columns.p55, _$$p55)
    _store(&row, Self.columns.p56, _$$p56)
    _store(&row, Self.columns.p57, _$$p57)
    _store(&row, Self.columns.p58, _$$p58)
    _store(&row, Self.columns.p59, _$$p59)
    _store(&row, Self.columns.p60, _$$p60)
    _store(&row, Self.columns.p61, _$$p61)
    _store(&row, Self.columns.p62, _$$p62)
    _store(&row, Self.columns.p63, _$$p63)
    _store(&row, Self.columns.p64, _$$p64)
    _store(&row, Self.columns.p65, _$$p65)
    _store(&row, Self.columns.p66, _$$p66)
    _store(&row, Self.columns.p67, _$$p67)
    _store(&row, Self.columns.p68, _$$p68)
    _store(&row, Self.columns.p69, _$$p69)
    _store(&row, Self.columns.p70, _$$p70)
    _store(&row, Self.columns.p71, _$$p71)
    _store(&row, Self.columns.p72, _$$p72)
    _store(&row, Self.columns.p73, _$$p73)
    _store(&row, Self.columns.p74, _$$p74)
    _store(&row, Self.columns.p75, _$$p75)
    _store(&row, Self.columns.p76, _$$p76)
    _store(&row, Self.columns.p77, _$$p77)
    _store(&row, Self.columns.p78, _$$p78)
    _store(&row, Self.columns.p79, _$$p79)
    _store(&row, Self.columns.p80, _$$p80)
    _store(&row, Self.columns.p81, _$$p81)
    _store(&row, Self.columns.p82, _$$p82)
    _store(&row, Self.columns.p83, _$$p83)
    _store(&row, Self.columns.p84, _$$p84)
    _store(&row, Self.columns.p85, _$$p85)
    _store(&row, Self.columns.p86, _$$p86)
    _store(&row, Self.columns.p87, _$$p87)
    _store(&row, Self.columns.p88, _$$p88)
    _store(&row, Self.columns.p89, _$$p89)
    _store(&row, Self.columns.p90, _$$p90)
    _store(&row, Self.columns.p91, _$$p91)
    _store(&row, Self.columns.p92, _$$p92)
    _store(&row, Self.columns.p93, _$$p93)
    _store(&row, Self.columns.p94, _$$p94)
    _store(&row, Self.columns.p95, _$$p95)
    _store(&row, Self.columns.p96, _$$p96)
    _store(&row, Self.columns.p97, _$$p97)
    _store(&row, Self.columns.p98, _$$p98)
    _store(&row, Self.columns.p99, _$$p99)
    _store(&row, Self.columns.p100, _$$p100)
    _store(&row, Self.columns.p101, _$$p101)
    _store(&row, Self.columns.p102, _$$p102)
    _store(&row, Self.columns.p103, _$$p103)
    _store(&row, Self.columns.p104, _$$p104)
    _store(&row, Self.columns.p105, _$$p105)
    _store(&row, Self.columns.p106, _$$p106)
    _store(&row, Self.columns.p107, _$$p107)
    _store(&row, Self.columns.p108, _$$p108)
    _store(&row, Self.columns.p109, _$$p109)
    _store(&row, Self.columns.p110, _$$p110)
    _store(&row, Self.columns.p111, _$$p111)
    _store(&row, Self.columns.p112, _$$p112)
    _store(&row, Self.columns.p113, _$$p113)
    _store(&row, Self.columns.p114, _$$p114)
    _store(&row, Self.columns.p115, _$$p115)
    _store(&row, Self.columns.p116, _$$p116)
    _store(&row, Self.columns.p117, _$$p117)
    _store(&row, Self.columns.p118, _$$p118)
    _store(&row, Self.columns.p119, _$$p119)
    _store(&row, Self.columns.p120, _$$p120)
    _store(&row, Self.columns.p121, _$$p121)
    _store(&row, Self.columns.p122, _$$p122)
    _store(&row, Self.columns.p123, _$$p123)
    _store(&row, Self.columns.p124, _$$p124)
    _store(&row, Self.columns.p125, _$$p125)
    _store(&row, Self.columns.p126, _$$p126)
    _store(&row, Self.columns.p127, _$$p127)
    _store(&row, Self.columns.p128, _$$p128)
  }
}

nonisolated final class NotANumber: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<NotANumber, Double>(0, "x")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\NotANumber.x, columns.x, default: .nan)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Double>()

  init(_ state: ObjectState) { _$state = state }

  var x: Double {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class PlainUID: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<PlainUID, Int>(0, "x")
  }

  static let columns: Columns = Columns()
  static let uidKey: String? = "x"
  static let properties: [PropertyDescriptor] = [
    .property(\PlainUID.x, columns.x)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class LostUID: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<LostUID, Int>(0, "x")
  }

  static let columns: Columns = Columns()
  static let uidKey: String? = "gone"
  static let properties: [PropertyDescriptor] = [
    .property(\LostUID.x, columns.x)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class UniqueUID: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<UniqueUID, Int>(0, "x")
  }

  static let columns: Columns = Columns()
  static let uidKey: String? = "x"
  static let properties: [PropertyDescriptor] = [
    .property(\UniqueUID.x, columns.x, unique: true)
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
  }
}

nonisolated final class Shuffled: ManagedEntity {
  struct Columns: Sendable {
    let x = Column<Shuffled, Int>(1, "x")
    let y = Column<Shuffled, Int>(0, "y")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Shuffled.x, columns.x),
    .property(\Shuffled.y, columns.y),
  ]

  let _$state: ObjectState

  private var _$$x = Slot<Int>()
  private var _$$y = Slot<Int>()

  init(_ state: ObjectState) { _$state = state }

  var x: Int {
    get { _get(\.x, Self.columns.x, _$$x) }
    set { _set(\.x, Self.columns.x, _$$x, newValue) { _$$x = $0 } }
  }

  var y: Int {
    get { _get(\.y, Self.columns.y, _$$y) }
    set { _set(\.y, Self.columns.y, _$$y, newValue) { _$$y = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.x, &_$$x)
    _load(row, Self.columns.y, &_$$y)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.x, _$$x)
    _store(&row, Self.columns.y, _$$y)
  }
}

nonisolated final class SQLiteNamed: ManagedEntity {
  struct Columns: Sendable {
  }

  static let columns: Columns = Columns()
  static let entityName: String = "sqlite_things"
  static let properties: [PropertyDescriptor] = []

  let _$state: ObjectState

  init(_ state: ObjectState) { _$state = state }

  func _$load(_ row: RowReader) {
  }

  func _$store(into row: inout RowValues) {
  }
}

nonisolated final class PersonAgain: ManagedEntity {
  struct Columns: Sendable {
  }

  static let columns: Columns = Columns()
  static let entityName: String = "PERSON"
  static let properties: [PropertyDescriptor] = []

  let _$state: ObjectState

  init(_ state: ObjectState) { _$state = state }

  func _$load(_ row: RowReader) {
  }

  func _$store(into row: inout RowValues) {
  }
}

nonisolated final class WrongInverse: ManagedEntity {
  struct Columns: Sendable {
    let one = Column<WrongInverse, [Inverted]>(0, "one")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\WrongInverse.one, columns.one, inverse: Column<Inverted, WrongInverse?>(0, "gone"))
  ]

  let _$state: ObjectState

  private var _$$one = Slot<[Inverted]>()

  init(_ state: ObjectState) { _$state = state }

  var one: [Inverted] {
    get { _get(\.one, Self.columns.one, _$$one) }
    set { _set(\.one, Self.columns.one, _$$one, newValue) { _$$one = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.one, &_$$one)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.one, _$$one)
  }
}

nonisolated final class Inverted: ManagedEntity {
  struct Columns: Sendable {
    let owner = Column<Inverted, WrongInverse?>(0, "owner")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Inverted.owner, columns.owner)
  ]

  let _$state: ObjectState

  private var _$$owner = Slot<WrongInverse?>()

  init(_ state: ObjectState) { _$state = state }

  var owner: WrongInverse? {
    get { _get(\.owner, Self.columns.owner, _$$owner) }
    set { _set(\.owner, Self.columns.owner, _$$owner, newValue) { _$$owner = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.owner, &_$$owner)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.owner, _$$owner)
  }
}

nonisolated final class TwoInverses: ManagedEntity {
  struct Columns: Sendable {
    let one = Column<TwoInverses, [Doubled]>(0, "one")
    let two = Column<TwoInverses, [Doubled]>(1, "two")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\TwoInverses.one, columns.one, inverse: Doubled.columns.owner),
    .property(\TwoInverses.two, columns.two, inverse: Doubled.columns.owner),
  ]

  let _$state: ObjectState

  private var _$$one = Slot<[Doubled]>()
  private var _$$two = Slot<[Doubled]>()

  init(_ state: ObjectState) { _$state = state }

  var one: [Doubled] {
    get { _get(\.one, Self.columns.one, _$$one) }
    set { _set(\.one, Self.columns.one, _$$one, newValue) { _$$one = $0 } }
  }

  var two: [Doubled] {
    get { _get(\.two, Self.columns.two, _$$two) }
    set { _set(\.two, Self.columns.two, _$$two, newValue) { _$$two = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.one, &_$$one)
    _load(row, Self.columns.two, &_$$two)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.one, _$$one)
    _store(&row, Self.columns.two, _$$two)
  }
}

nonisolated final class Doubled: ManagedEntity {
  struct Columns: Sendable {
    let owner = Column<Doubled, TwoInverses?>(0, "owner")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Doubled.owner, columns.owner)
  ]

  let _$state: ObjectState

  private var _$$owner = Slot<TwoInverses?>()

  init(_ state: ObjectState) { _$state = state }

  var owner: TwoInverses? {
    get { _get(\.owner, Self.columns.owner, _$$owner) }
    set { _set(\.owner, Self.columns.owner, _$$owner, newValue) { _$$owner = $0 } }
  }

  func _$load(_ row: RowReader) {
    _load(row, Self.columns.owner, &_$$owner)
  }

  func _$store(into row: inout RowValues) {
    _store(&row, Self.columns.owner, _$$owner)
  }
}
