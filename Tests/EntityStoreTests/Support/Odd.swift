import EntityStore
import Observation

/// Names that SQL would stumble over.
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
    .property(\Odd.spaced, columns.spaced, indexed: true),
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
    _load(row, Self.columns.plain, &_$$plain)
    _load(row, Self.columns.quoted, &_$$quoted)
    _load(row, Self.columns.unicode, &_$$unicode)
    _load(row, Self.columns.spaced, &_$$spaced)
    _load(row, Self.columns.group, &_$$group)
    _load(row, Self.columns.members, &_$$members)
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
nonisolated final class Bare: ManagedEntity {
  struct Columns: Sendable {
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = []

  let _$state: ObjectState

  init(_ state: ObjectState) { _$state = state }

  func _$load(_ row: RowReader) {
  }

  func _$store(into row: inout RowValues) {
  }
}

/// As many properties as there may be.
nonisolated final class Wide: ManagedEntity {
  struct Columns: Sendable {
    let p0 = Column<Wide, Int>(0, "p0")
    let p1 = Column<Wide, Int>(1, "p1")
    let p2 = Column<Wide, Int>(2, "p2")
    let p3 = Column<Wide, Int>(3, "p3")
    let p4 = Column<Wide, Int>(4, "p4")
    let p5 = Column<Wide, Int>(5, "p5")
    let p6 = Column<Wide, Int>(6, "p6")
    let p7 = Column<Wide, Int>(7, "p7")
    let p8 = Column<Wide, Int>(8, "p8")
    let p9 = Column<Wide, Int>(9, "p9")
    let p10 = Column<Wide, Int>(10, "p10")
    let p11 = Column<Wide, Int>(11, "p11")
    let p12 = Column<Wide, Int>(12, "p12")
    let p13 = Column<Wide, Int>(13, "p13")
    let p14 = Column<Wide, Int>(14, "p14")
    let p15 = Column<Wide, Int>(15, "p15")
    let p16 = Column<Wide, Int>(16, "p16")
    let p17 = Column<Wide, Int>(17, "p17")
    let p18 = Column<Wide, Int>(18, "p18")
    let p19 = Column<Wide, Int>(19, "p19")
    let p20 = Column<Wide, Int>(20, "p20")
    let p21 = Column<Wide, Int>(21, "p21")
    let p22 = Column<Wide, Int>(22, "p22")
    let p23 = Column<Wide, Int>(23, "p23")
    let p24 = Column<Wide, Int>(24, "p24")
    let p25 = Column<Wide, Int>(25, "p25")
    let p26 = Column<Wide, Int>(26, "p26")
    let p27 = Column<Wide, Int>(27, "p27")
    let p28 = Column<Wide, Int>(28, "p28")
    let p29 = Column<Wide, Int>(29, "p29")
    let p30 = Column<Wide, Int>(30, "p30")
    let p31 = Column<Wide, Int>(31, "p31")
    let p32 = Column<Wide, Int>(32, "p32")
    let p33 = Column<Wide, Int>(33, "p33")
    let p34 = Column<Wide, Int>(34, "p34")
    let p35 = Column<Wide, Int>(35, "p35")
    let p36 = Column<Wide, Int>(36, "p36")
    let p37 = Column<Wide, Int>(37, "p37")
    let p38 = Column<Wide, Int>(38, "p38")
    let p39 = Column<Wide, Int>(39, "p39")
    let p40 = Column<Wide, Int>(40, "p40")
    let p41 = Column<Wide, Int>(41, "p41")
    let p42 = Column<Wide, Int>(42, "p42")
    let p43 = Column<Wide, Int>(43, "p43")
    let p44 = Column<Wide, Int>(44, "p44")
    let p45 = Column<Wide, Int>(45, "p45")
    let p46 = Column<Wide, Int>(46, "p46")
    let p47 = Column<Wide, Int>(47, "p47")
    let p48 = Column<Wide, Int>(48, "p48")
    let p49 = Column<Wide, Int>(49, "p49")
    let p50 = Column<Wide, Int>(50, "p50")
    let p51 = Column<Wide, Int>(51, "p51")
    let p52 = Column<Wide, Int>(52, "p52")
    let p53 = Column<Wide, Int>(53, "p53")
    let p54 = Column<Wide, Int>(54, "p54")
    let p55 = Column<Wide, Int>(55, "p55")
    let p56 = Column<Wide, Int>(56, "p56")
    let p57 = Column<Wide, Int>(57, "p57")
    let p58 = Column<Wide, Int>(58, "p58")
    let p59 = Column<Wide, Int>(59, "p59")
    let p60 = Column<Wide, Int>(60, "p60")
    let p61 = Column<Wide, Int>(61, "p61")
    let p62 = Column<Wide, Int>(62, "p62")
    let p63 = Column<Wide, Int>(63, "p63")
    let p64 = Column<Wide, Int>(64, "p64")
    let p65 = Column<Wide, Int>(65, "p65")
    let p66 = Column<Wide, Int>(66, "p66")
    let p67 = Column<Wide, Int>(67, "p67")
    let p68 = Column<Wide, Int>(68, "p68")
    let p69 = Column<Wide, Int>(69, "p69")
    let p70 = Column<Wide, Int>(70, "p70")
    let p71 = Column<Wide, Int>(71, "p71")
    let p72 = Column<Wide, Int>(72, "p72")
    let p73 = Column<Wide, Int>(73, "p73")
    let p74 = Column<Wide, Int>(74, "p74")
    let p75 = Column<Wide, Int>(75, "p75")
    let p76 = Column<Wide, Int>(76, "p76")
    let p77 = Column<Wide, Int>(77, "p77")
    let p78 = Column<Wide, Int>(78, "p78")
    let p79 = Column<Wide, Int>(79, "p79")
    let p80 = Column<Wide, Int>(80, "p80")
    let p81 = Column<Wide, Int>(81, "p81")
    let p82 = Column<Wide, Int>(82, "p82")
    let p83 = Column<Wide, Int>(83, "p83")
    let p84 = Column<Wide, Int>(84, "p84")
    let p85 = Column<Wide, Int>(85, "p85")
    let p86 = Column<Wide, Int>(86, "p86")
    let p87 = Column<Wide, Int>(87, "p87")
    let p88 = Column<Wide, Int>(88, "p88")
    let p89 = Column<Wide, Int>(89, "p89")
    let p90 = Column<Wide, Int>(90, "p90")
    let p91 = Column<Wide, Int>(91, "p91")
    let p92 = Column<Wide, Int>(92, "p92")
    let p93 = Column<Wide, Int>(93, "p93")
    let p94 = Column<Wide, Int>(94, "p94")
    let p95 = Column<Wide, Int>(95, "p95")
    let p96 = Column<Wide, Int>(96, "p96")
    let p97 = Column<Wide, Int>(97, "p97")
    let p98 = Column<Wide, Int>(98, "p98")
    let p99 = Column<Wide, Int>(99, "p99")
    let p100 = Column<Wide, Int>(100, "p100")
    let p101 = Column<Wide, Int>(101, "p101")
    let p102 = Column<Wide, Int>(102, "p102")
    let p103 = Column<Wide, Int>(103, "p103")
    let p104 = Column<Wide, Int>(104, "p104")
    let p105 = Column<Wide, Int>(105, "p105")
    let p106 = Column<Wide, Int>(106, "p106")
    let p107 = Column<Wide, Int>(107, "p107")
    let p108 = Column<Wide, Int>(108, "p108")
    let p109 = Column<Wide, Int>(109, "p109")
    let p110 = Column<Wide, Int>(110, "p110")
    let p111 = Column<Wide, Int>(111, "p111")
    let p112 = Column<Wide, Int>(112, "p112")
    let p113 = Column<Wide, Int>(113, "p113")
    let p114 = Column<Wide, Int>(114, "p114")
    let p115 = Column<Wide, Int>(115, "p115")
    let p116 = Column<Wide, Int>(116, "p116")
    let p117 = Column<Wide, Int>(117, "p117")
    let p118 = Column<Wide, Int>(118, "p118")
    let p119 = Column<Wide, Int>(119, "p119")
    let p120 = Column<Wide, Int>(120, "p120")
    let p121 = Column<Wide, Int>(121, "p121")
    let p122 = Column<Wide, Int>(122, "p122")
    let p123 = Column<Wide, Int>(123, "p123")
    let p124 = Column<Wide, Int>(124, "p124")
    let p125 = Column<Wide, Int>(125, "p125")
    let p126 = Column<Wide, Int>(126, "p126")
    let p127 = Column<Wide, Int>(127, "p127")
  }

  static let columns: Columns = Columns()
  static let properties: [PropertyDescriptor] = [
    .property(\Wide.p0, columns.p0),
    .property(\Wide.p1, columns.p1),
    .property(\Wide.p2, columns.p2),
    .property(\Wide.p3, columns.p3),
    .property(\Wide.p4, columns.p4),
    .property(\Wide.p5, columns.p5),
    .property(\Wide.p6, columns.p6),
    .property(\Wide.p7, columns.p7),
    .property(\Wide.p8, columns.p8),
    .property(\Wide.p9, columns.p9),
    .property(\Wide.p10, columns.p10),
    .property(\Wide.p11, columns.p11),
    .property(\Wide.p12, columns.p12),
    .property(\Wide.p13, columns.p13),
    .property(\Wide.p14, columns.p14),
    .property(\Wide.p15, columns.p15),
    .property(\Wide.p16, columns.p16),
    .property(\Wide.p17, columns.p17),
    .property(\Wide.p18, columns.p18),
    .property(\Wide.p19, columns.p19),
    .property(\Wide.p20, columns.p20),
    .property(\Wide.p21, columns.p21),
    .property(\Wide.p22, columns.p22),
    .property(\Wide.p23, columns.p23),
    .property(\Wide.p24, columns.p24),
    .property(\Wide.p25, columns.p25),
    .property(\Wide.p26, columns.p26),
    .property(\Wide.p27, columns.p27),
    .property(\Wide.p28, columns.p28),
    .property(\Wide.p29, columns.p29),
    .property(\Wide.p30, columns.p30),
    .property(\Wide.p31, columns.p31),
    .property(\Wide.p32, columns.p32),
    .property(\Wide.p33, columns.p33),
    .property(\Wide.p34, columns.p34),
    .property(\Wide.p35, columns.p35),
    .property(\Wide.p36, columns.p36),
    .property(\Wide.p37, columns.p37),
    .property(\Wide.p38, columns.p38),
    .property(\Wide.p39, columns.p39),
    .property(\Wide.p40, columns.p40),
    .property(\Wide.p41, columns.p41),
    .property(\Wide.p42, columns.p42),
    .property(\Wide.p43, columns.p43),
    .property(\Wide.p44, columns.p44),
    .property(\Wide.p45, columns.p45),
    .property(\Wide.p46, columns.p46),
    .property(\Wide.p47, columns.p47),
    .property(\Wide.p48, columns.p48),
    .property(\Wide.p49, columns.p49),
    .property(\Wide.p50, columns.p50),
    .property(\Wide.p51, columns.p51),
    .property(\Wide.p52, columns.p52),
    .property(\Wide.p53, columns.p53),
    .property(\Wide.p54, columns.p54),
    .property(\Wide.p55, columns.p55),
    .property(\Wide.p56, columns.p56),
    .property(\Wide.p57, columns.p57),
    .property(\Wide.p58, columns.p58),
    .property(\Wide.p59, columns.p59),
    .property(\Wide.p60, columns.p60),
    .property(\Wide.p61, columns.p61),
    .property(\Wide.p62, columns.p62),
    .property(\Wide.p63, columns.p63),
    .property(\Wide.p64, columns.p64),
    .property(\Wide.p65, columns.p65),
    .property(\Wide.p66, columns.p66),
    .property(\Wide.p67, columns.p67),
    .property(\Wide.p68, columns.p68),
    .property(\Wide.p69, columns.p69),
    .property(\Wide.p70, columns.p70),
    .property(\Wide.p71, columns.p71),
    .property(\Wide.p72, columns.p72),
    .property(\Wide.p73, columns.p73),
    .property(\Wide.p74, columns.p74),
    .property(\Wide.p75, columns.p75),
    .property(\Wide.p76, columns.p76),
    .property(\Wide.p77, columns.p77),
    .property(\Wide.p78, columns.p78),
    .property(\Wide.p79, columns.p79),
    .property(\Wide.p80, columns.p80),
    .property(\Wide.p81, columns.p81),
    .property(\Wide.p82, columns.p82),
    .property(\Wide.p83, columns.p83),
    .property(\Wide.p84, columns.p84),
    .property(\Wide.p85, columns.p85),
    .property(\Wide.p86, columns.p86),
    .property(\Wide.p87, columns.p87),
    .property(\Wide.p88, columns.p88),
    .property(\Wide.p89, columns.p89),
    .property(\Wide.p90, columns.p90),
    .property(\Wide.p91, columns.p91),
    .property(\Wide.p92, columns.p92),
    .property(\Wide.p93, columns.p93),
    .property(\Wide.p94, columns.p94),
    .property(\Wide.p95, columns.p95),
    .property(\Wide.p96, columns.p96),
    .property(\Wide.p97, columns.p97),
    .property(\Wide.p98, columns.p98),
    .property(\Wide.p99, columns.p99),
    .property(\Wide.p100, columns.p100),
    .property(\Wide.p101, columns.p101),
    .property(\Wide.p102, columns.p102),
    .property(\Wide.p103, columns.p103),
    .property(\Wide.p104, columns.p104),
    .property(\Wide.p105, columns.p105),
    .property(\Wide.p106, columns.p106),
    .property(\Wide.p107, columns.p107),
    .property(\Wide.p108, columns.p108),
    .property(\Wide.p109, columns.p109),
    .property(\Wide.p110, columns.p110),
    .property(\Wide.p111, columns.p111),
    .property(\Wide.p112, columns.p112),
    .property(\Wide.p113, columns.p113),
    .property(\Wide.p114, columns.p114),
    .property(\Wide.p115, columns.p115),
    .property(\Wide.p116, columns.p116),
    .property(\Wide.p117, columns.p117),
    .property(\Wide.p118, columns.p118),
    .property(\Wide.p119, columns.p119),
    .property(\Wide.p120, columns.p120),
    .property(\Wide.p121, columns.p121),
    .property(\Wide.p122, columns.p122),
    .property(\Wide.p123, columns.p123),
    .property(\Wide.p124, columns.p124),
    .property(\Wide.p125, columns.p125),
    .property(\Wide.p126, columns.p126),
    .property(\Wide.p127, columns.p127),
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
  }
}
