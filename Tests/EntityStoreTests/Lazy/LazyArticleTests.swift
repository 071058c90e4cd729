import EntityMacros
import EntityStore
import Foundation
import Testing

// The code of the article on large values.

@Entity final class Etching {
  @UID @Key("id") var uid: Int
  var title: String
  @Lazy var scan: Data?
  @Lazy var commentary: String
}

@Entity final class Imprint {
  var number: Int
  @Relationship(onDelete: .cascade) var recording: Recording?
}

@Entity final class Recording {
  @Lazy var bytes: Data
}

@MainActor struct LazyArticleTests {
  @Test(arguments: Place.usual)
  func `the article's code works`(_ place: Place) async throws {
    let test = try TestStore(place, [Etching.self, Imprint.self, Recording.self])
    try await test.store.background { context in
      for uid in 1...3 {
        let etching = try context.insert(Etching.self)
        etching.uid = uid
        etching.scan = uid == 2 ? nil : Data([UInt8(uid)])
      }
    }
    let main = test.store.main
    let etchings = try main.fetch(Etching.where { $0.scan != nil })  // reads no scan
    #expect(main.statistics.lazyValues == 0)
    let scan = etchings.first?.scan  // reads one
    #expect(scan == Data([1]))
    #expect(main.statistics.lazyValues == 1)
    let missing = try main.count(Etching.where { $0.scan == nil })
    let scans: [Data?] = try main.fetch(Etching.where { $0.uid == 1 }.select { $0.scan })
    #expect(missing == 1)
    #expect(scans == [Data([1])])
    let imprint = try main.insert(Imprint.self)
    imprint.recording = try main.insert(Recording.self)
    imprint.recording?.bytes = Data(count: 10)
    try await main.save()
    try main.delete(imprint)
    try await main.save()
    #expect(try main.count(Recording.all) == 0)
  }
}
