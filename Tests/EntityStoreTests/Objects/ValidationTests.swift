import EntityMacros
import EntityStore
import Foundation
import Testing

/// Objects are checked before they are saved, all of them at once.
@MainActor struct ValidationTests {
  private static let entities: [any ManagedEntity.Type] = [Booking.self, Lodger.self, Voucher.self]

  private static func messages(_ body: () throws -> Void) -> [String] {
    do {
      try body()
      return []
    } catch {
      guard let error = error as? StoreError, error.kind == .invalidObject else { return ["\(error)"] }
      return error.problems.map { "\($0.property ?? "-") \($0.message)" }
    }
  }

  @Test(arguments: Place.usual)
  func `one error has all problems of all objects`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let guest = try main.insert(Lodger.self)
    guest.name = ""
    guest.code = "ab1"
    let booking = try main.insert(Booking.self)
    booking.nights = 0
    booking.start = 9
    booking.end = 3
    let right = try main.insert(Voucher.self)
    let error = #expect(throws: StoreError.self) { try main.saveAtOnce() }
    #expect(error?.kind == .invalidObject)
    #expect(
      error?.problems.map { "\($0.property ?? "-") \($0.message)" } == [
        "nights is not within 1...30", "end is before the start", "- has no guest", "name is empty",
        "code has another form",
      ])
    #expect(
      error?.objects.map(\.description)
        == ["'Booking' (row \(booking.entityID.pk))", "'Lodger' (row \(guest.entityID.pk))"])
    #expect(error?.message.contains("'Lodger' (row") == true)
    #expect(error?.message.contains("ab1") == false, "a message has no values")
    // Nothing is written, and all is as it was.
    #expect(guest.isInserted && booking.isInserted && right.isInserted)
    #expect(try await test.store.read { try $0.count() } == 0)
    await #expect(throws: StoreError.self) { try await main.save() }
    guest.name = "Ada"
    guest.code = "ABC"
    booking.nights = 2
    booking.end = 11
    booking.guest = guest
    try await main.save()
    #expect(try await test.store.read { try $0.count() } == 3)
  }

  /// The problems of rules and missing objects come together.
  @Test(arguments: Place.usual)
  func `a required relationship without an object is among the problems`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities + [Deposit.self, Receipt.self])
    let main = test.store.main
    let booking = try main.insert(Booking.self)
    let guest = try main.insert(Lodger.self)
    (guest.name, guest.code) = ("Ada", "ABC")
    booking.guest = guest
    let deposit = try main.insert(Deposit.self)
    let receipts = [try main.insert(Receipt.self), try main.insert(Receipt.self)]
    let missing =
      "is required and has no object: set it, or delete this one. "
      + "It may have been taken out of the list on the other side"
    #expect(
      Self.messages { try main.saveAtOnce() } == [
        "nights is not within 1...30", "booking \(missing)", "sum is not 1 or more", "deposit \(missing)",
        "deposit \(missing)",
      ])
    booking.nights = 1
    (deposit.booking, deposit.sum) = (booking, 5)
    for receipt in receipts { receipt.deposit = deposit }
    try await main.save()
    // An edit of another property asks nothing of the link; a member that is taken out is asked.
    receipts[0].text = "paid"
    try await main.save()
    deposit.receipts = []
    deposit.sum = 0
    #expect(
      Self.messages { try main.saveAtOnce() }
        == ["sum is not 1 or more", "deposit \(missing)", "deposit \(missing)"])
    main.rollback()
    #expect(deposit.receipts.count == 2)
  }

  /// A list is a value of the members, and a many-to-many list of the object whose list was set.
  @Test(arguments: Place.usual)
  func `the objects whose link changed are checked`(_ place: Place) async throws {
    let test = try TestStore(place, [Tenant.self, Flat.self, Hobby.self])
    let main = test.store.main
    let tenant = try main.insert(Tenant.self)
    (tenant.flat, tenant.hobbies) = (try main.insert(Flat.self), [try main.insert(Hobby.self)])
    try await main.save()
    tenant.flat = nil
    #expect(Self.messages { try main.saveAtOnce() } == ["tenant is missing"])
    main.rollback()
    tenant.hobbies = []
    #expect(Self.messages { try main.saveAtOnce() } == ["hobbies is empty"])
    main.rollback()
    try #require(tenant.hobbies.first).tenants = []
    #expect(Self.messages { try main.saveAtOnce() } == ["tenants is empty"])
  }

  /// A query of the unit sends the objects before they are checked.
  @Test(arguments: Place.usual)
  func `all missing objects of a unit are reported at its end`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities + [Deposit.self, Receipt.self])
    let error = await #expect(throws: StoreError.self) {
      try await test.store.background { context in
        _ = try context.insert(Receipt.self)
        try context.insert(Deposit.self).sum = 5
        let third = try context.insert(Receipt.self)
        #expect(try context.count(Receipt.all) == 2)
        third.deposit = try #require(try context.fetchOne(Deposit.all))
      }
    }
    #expect(error?.kind == .invalidObject)
    #expect(error?.problems.map(\.property) == ["booking", "deposit"])
    #expect(error?.objects.count == 2)
    #expect(try await test.store.read { try $0.count() } == 0)
  }

  /// The object does not have it: the row has.
  @Test(arguments: Place.usual)
  func `a required relationship may be set by an update by query`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities + [Deposit.self, Receipt.self])
    let main = test.store.main
    let deposit = try main.insert(Deposit.self)
    let (booking, guest) = (try main.insert(Booking.self), try main.insert(Lodger.self))
    (guest.name, guest.code) = ("Ada", "ABC")
    (booking.nights, booking.guest) = (1, guest)
    (deposit.booking, deposit.sum) = (booking, 5)
    try await main.save()
    try await test.store.background { context in
      let receipt = try context.insert(Receipt.self)
      #expect(try context.count(Receipt.all) == 1)
      let deposit = try #require(try context.fetchOne(Deposit.all))
      try context.update(Receipt.all) { $0.set(\.deposit, to: deposit) }
      try context.saveAtOnce()
      #expect(receipt.deposit === deposit)
    }
    #expect(try main.fetchOne(Receipt.all)?.deposit === deposit)
  }

  @Test(arguments: Place.usual)
  func `an update by query is checked`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    try await test.store.background { context in
      let lodger = try context.insert(Lodger.self)
      (lodger.name, lodger.code) = ("Ada", "ABC")
      let booking = try context.insert(Booking.self)
      (booking.nights, booking.guest) = (2, lodger)
    }
    let kind = await asyncErrorKind {
      try await test.store.background { context in
        _ = try context.update(Booking.all) { $0.set(\.nights, to: 99) }
      }
    }
    #expect(kind == .invalidObject)
    #expect(try await test.store.read { try $0.fetch(Booking.all.select { $0.nights }) } == [2])
    // The server's values are not checked.
    try await test.store.background(as: .server) { context in
      _ = try context.update(Booking.all) { $0.set(\.nights, to: 99) }
    }
    #expect(try await test.store.read { try $0.fetch(Booking.all.select { $0.nights }) } == [99])
  }

  @Test(arguments: Place.usual)
  func `edits are checked and other objects are not`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    // A server may send what the app would refuse.
    let ids = try await test.store.background(as: .server) { context in
      try (0..<2).map { uid in
        let guest = try context.insert(Lodger.self)
        guest.uid = uid
        return guest.entityID
      }
    }
    let main = test.store.main
    let guests = try main.objects(ids)
    let voucher = try main.insert(Voucher.self)
    try await main.save()
    guests[0].code = "abc"
    voucher.text = "x"
    #expect(Self.messages { try main.saveAtOnce() } == ["name is empty", "code has another form"])
    // A deletion is not checked.
    try main.delete(guests[0])
    try await main.save()
    #expect(try main.count(Lodger.all) == 1)
  }

  @Test(arguments: Place.usual)
  func `units are checked at their end and not by a query`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    do {
      try await test.store.background { context in
        try context.insert(Lodger.self).code = "ABC"
        // The query sends the object to the transaction.
        #expect(try context.fetch(Lodger.all).count == 1)
      }
      Issue.record("the unit was saved")
    } catch let error as StoreError {
      #expect(error.problems.map(\.property) == ["name"])
    }
    #expect(try await test.store.read { try $0.count() } == 0)
    try await test.store.background { context in
      let guest = try context.insert(Lodger.self)
      guest.code = "ABC"
      #expect(try context.fetch(Lodger.all).count == 1)
      #expect(throws: StoreError.self) { try context.saveAtOnce() }
      guest.name = "Ada"
      try context.saveAtOnce()
      guest.name = ""
      #expect(try context.count(Lodger.where { $0.name == "" }) == 1)
      context.rollback()
      #expect(guest.name == "Ada")
    }
    #expect(try await test.store.read { try $0.fetch(Lodger.all).map(\.name) } == ["Ada"])
  }

  @Test(arguments: Place.usual)
  func `a draft and a child are checked by their own save`(_ place: Place) async throws {
    let test = try TestStore(place, Self.entities)
    let main = test.store.main
    let draft = try main.draft(Lodger.self)
    draft.object.code = "ABC"
    #expect(Self.messages { try draft.save() } == ["name is empty"])
    #expect(!main.hasChanges)
    draft.object.name = "Ada"
    try draft.save()
    try await main.save()
    let child = try main.child()
    try #require(try child.fetch(Lodger.all).first).name = ""
    #expect(Self.messages { try child.saveAtOnce() } == ["name is empty"])
    #expect(try main.fetch(Lodger.all).map(\.name) == ["Ada"])
  }

  @Test func `an object is checked at once for a form`() throws {
    let test = try TestStore(.memory, Self.entities)
    let guest = Lodger()
    #expect(guest.validationProblems.map(\.property) == ["name", "code"])
    #expect(Self.messages { try guest.validate() } == ["name is empty", "code has another form"])
    try test.store.main.insert(guest)
    let watcher = Watcher { _ = guest.validationProblems }
    guest.name = "Ada"
    #expect(watcher.fired)
    guest.code = "ABC"
    #expect(guest.validationProblems.isEmpty)
    #expect(Self.messages { try guest.validate() } == [])
  }

  /// Each rule by a value that is right, one that is wrong, and none.
  @Test func `rules tell right from wrong`() throws {
    let all = Rated()
    #expect(all.validationProblems.map { "\($0.property ?? "-") \($0.message)" } == ["title has no value"])
    all.title = ""
    all.tags = ["a", "b", "c"]
    all.note = "four"
    all.score = 2
    all.low = -1
    all.high = 10
    all.code = "A1"
    all.even = 3
    #expect(
      all.validationProblems.map { "\($0.property ?? "-") \($0.message)" } == [
        "title is empty", "tags has a length that is not 2 or less", "note is too long",
        "score is not within 0.0...1.0", "low is not 0 or more", "high is not less than 10", "code has another form",
        "even must be even",
      ])
    all.title = "é"
    all.tags = []
    all.note = "abc"
    all.score = 1
    all.low = 0
    all.high = 9
    all.code = "AB"
    all.even = 4
    #expect(all.validationProblems.isEmpty)
  }

  @Test func `a message names ten problems`() throws {
    let test = try TestStore(.memory, Self.entities)
    for _ in 0..<12 { try test.store.main.insert(Lodger.self).code = "ABC" }
    let error = #expect(throws: StoreError.self) { try test.store.main.saveAtOnce() }
    #expect(error?.problems.count == 12)
    #expect(error?.message.hasSuffix("; and 2 more.") == true, "\(error?.message ?? "")")
  }
}

@Entity final class Lodger {
  @UID var uid: Int?
  var name: String
  var code: String?
  var checks: Int?
}

extension Lodger: ValidatedEntity {
  static var validationRules: [ValidationRule<Lodger>] {
    [.notEmpty(\.name), .rule(\.code, "has another form") { $0?.wholeMatch(of: /[A-Z]{3}/) != nil }]
  }
}

@Entity final class Booking {
  var nights: Int
  var start: Int
  var end: Int?
  var guest: Lodger?
}

extension Booking: ValidatedEntity {
  static var validationRules: [ValidationRule<Booking>] { [.range(\.nights, 1...30)] }

  func validate(_ problems: inout ValidationProblems<Booking>) {
    if let end, end < start { problems.add(\.end, "is before the start") }
    if guest == nil { problems.add("has no guest") }
  }
}

@Entity final class Voucher {
  var text: String
}

@Entity final class Tenant: ValidatedEntity {
  var name: String
  @Relationship(inverse: \Flat.tenant) var flat: Flat?
  @Relationship(inverse: \Hobby.tenants) var hobbies: [Hobby]

  func validate(_ problems: inout ValidationProblems<Tenant>) {
    if flat == nil { problems.add(\.flat, "is missing") }
    if hobbies.isEmpty { problems.add(\.hobbies, "is empty") }
  }
}

@Entity final class Flat: ValidatedEntity {
  var number: Int
  var tenant: Tenant?

  func validate(_ problems: inout ValidationProblems<Flat>) {
    if tenant == nil { problems.add(\.tenant, "is missing") }
  }
}

@Entity final class Hobby: ValidatedEntity {
  var name: String
  var tenants: [Tenant]

  func validate(_ problems: inout ValidationProblems<Hobby>) {
    if tenants.isEmpty { problems.add(\.tenants, "is empty") }
  }
}

@Entity final class Deposit: ValidatedEntity {
  var sum: Int
  var booking: Booking
  @Relationship(inverse: \Receipt.deposit) var receipts: [Receipt]

  static var validationRules: [ValidationRule<Deposit>] { [.range(\.sum, 1...)] }
}

/// Without rules of its own.
@Entity final class Receipt {
  var text: String?
  var deposit: Deposit
}

@Entity final class Rated: ValidatedEntity {
  var title: String?
  var tags: [String]
  var note: String?
  var score: Double?
  var low: Int?
  var high: Int
  var code: String?
  var even: Int

  static var validationRules: [ValidationRule<Rated>] {
    [
      .required(\.title), .notEmpty(\.title), .length(\.tags, ...2), .length(\.note, 1...3, "is too long"),
      .range(\.score, 0...1), .range(\.low, 0...), .range(\.high, ..<10), .matches(\.code, /[A-Z]+/),
      .rule(\.even, "must be even") { $0.isMultiple(of: 2) },
    ]
  }
}
