import EntityClient
import Foundation
import TestSchema

// Objects with a version, by declaration and by hand.

@Entity final class Report: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var text: String?
  var revision: Int?
  var author: Gardener?
  @Relationship(inverse: \Finding.report) var findings: [Finding]
  var topics: [ReportTopic]
  var seal: Cover?

  static var basePath: String { "reports" }
  static var deletionKey: String? { "deleted" }
  static var versionAttribute: PartialKeyPath<Report>? { \.revision }
}

/// As `Report`, updated by hand.
@Entity final class HandReport: RemoteEntity {
  @UID @Key("id") var uid: Int
  var title: String?
  var text: String?
  var revision: Int?
  var author: Gardener?
  @Relationship(inverse: \Finding.handReport) var findings: [Finding]
  var topics: [ReportTopic]
  var seal: Cover?

  static var basePath: String { "handreports" }
  static var deletionKey: String? { "deleted" }
  static var versionAttribute: PartialKeyPath<HandReport>? { \.revision }

  func update(with response: ResponseObject) throws {
    try response.assign("title", to: &title)
    try response.assign("text", to: &text)
    try response.assign("revision", to: &revision)
    try response.assign("author", to: &author)
    try response.assign("findings", to: &findings)
    try response.assign("topics", to: &topics)
    try response.assign("seal", to: &seal)
  }
}

@Entity final class Finding: RemoteEntity {
  @UID @Key("id") var uid: Int
  var text: String?
  var report: Report?
  var handReport: HandReport?

  static var basePath: String { "findings" }
}

@Entity final class ReportTopic: RemoteEntity {
  @UID @Key("id") var uid: Int
  var name: String?

  static var basePath: String { "subjects" }
}

/// Versions of other types, one at a time.
protocol AnyDraft: RemoteEntity {
  var uid: Int { get }
  var title: String? { get }
}

@Entity final class DatedDraft: AnyDraft {
  @UID @Key("id") var uid: Int
  var title: String?
  @Key("at") var changedAt: Date

  static var basePath: String { "dated" }
  static var versionAttribute: PartialKeyPath<DatedDraft>? { \.changedAt }
}

@Entity final class DecimalDraft: AnyDraft {
  @UID @Key("id") var uid: Int
  var title: String?
  @Key("at") var number: Decimal?

  static var basePath: String { "decimal" }
  static var versionAttribute: PartialKeyPath<DecimalDraft>? { \.number }
}

@Entity final class CountedDraft: AnyDraft {
  @UID @Key("id") var uid: Int
  var title: String?
  @Key("meta.at") var count: UInt64

  static var basePath: String { "counted" }
  static var versionAttribute: PartialKeyPath<CountedDraft>? { \.count }
}

@Entity final class TaggedDraft: AnyDraft {
  @UID @Key("id") var uid: Int
  var title: String?
  var tag: String?

  static var basePath: String { "tagged" }
  static var versionAttribute: PartialKeyPath<TaggedDraft>? { \.tag }
}

let reportEntities: [any ManagedEntity.Type] = [
  Report.self, HandReport.self, Gardener.self, Finding.self, ReportTopic.self, Cover.self, DatedDraft.self,
  DecimalDraft.self, CountedDraft.self, TaggedDraft.self,
]

/// A report of either kind, by its values.
enum ReportKind: CaseIterable, Sendable {
  case declared, byHand

  func upsert(_ value: JSONValue, in store: EntityStore, _ number: RequestNumber? = nil) async throws -> (
    EntityCounts, SkippedChanges
  ) {
    let number = number ?? store.core.requests.begin()
    defer { store.core.requests.end(number) }
    switch self {
    case .declared:
      let outcome = try await store.upsert(ResponseUpsert<Report>(value, sequence: number))
      return (outcome.counts, outcome.skipped)
    case .byHand:
      let outcome = try await store.upsert(ResponseUpsert<HandReport>(value, sequence: number))
      return (outcome.counts, outcome.skipped)
    }
  }

  /// `title text revision author findings topics seal` of report 1.
  func read(_ store: EntityStore) async throws -> String? {
    @Sendable func text(_ values: [String?]) -> String { values.map { $0 ?? "-" }.joined(separator: " ") }
    @Sendable func uids(_ uids: [Int]) -> String { "[" + uids.sorted().map(String.init).joined(separator: ",") + "]" }
    return try await store.read { context in
      switch self {
      case .declared:
        try context.fetch(Report.self, uid: 1).map {
          text([
            $0.title, $0.text, $0.revision.map(String.init), $0.author.map { "\($0.uid)" },
            uids($0.findings.map(\.uid)),
            uids($0.topics.map(\.uid)), $0.seal?.color,
          ])
        }
      case .byHand:
        try context.fetch(HandReport.self, uid: 1).map {
          text([
            $0.title, $0.text, $0.revision.map(String.init), $0.author.map { "\($0.uid)" },
            uids($0.findings.map(\.uid)),
            uids($0.topics.map(\.uid)), $0.seal?.color,
          ])
        }
      }
    }
  }

  func edit(_ store: EntityStore, revision: Int) async throws {
    try await store.background { context in
      switch self {
      case .declared: try context.fetch(Report.self, uid: 1)?.revision = revision
      case .byHand: try context.fetch(HandReport.self, uid: 1)?.revision = revision
      }
    }
  }
}
