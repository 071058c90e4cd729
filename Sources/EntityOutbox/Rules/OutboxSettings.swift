import EntityRequests
import EntityStore
import HTTPFoundation

/// The settings of an entity's outbox, as its rules make them.
struct OutboxSettings<Entity: OutboxEntity>: Sendable {
  var creating: (method: HTTPMethod, carrying: OutboxCarrying) = (.post, .edited)
  var updating: (method: HTTPMethod, carrying: OutboxCarrying) = (.patch, .edited)
  /// The name of the header with the idempotency key; `nil` for none.
  var keyHeader: String?
  /// The property by whose value the server is asked for the object of a create, and the place of the value in the URL;
  /// `nil` where the server can't be asked.
  var lookUp: (index: @Sendable (EntityModel) -> Int?, place: LookUpPlace)?
  /// Merges the server's values with local edits; `nil` leaves the edits as they are.
  var merging: ConflictPolicy?
  /// The version that an update holds for; `nil` for any.
  var condition: OutboxVersion<Entity>?
  var repeatsUnknown = false
  var isLast = false
  var sendsPartsFirst = false
  /// The form of bodies; `nil` for the entity's own.
  var form: BodyForm?
  /// The requests that carry several changes; `nil` where each change has its own.
  var batch: (any OutboxBatch)?
  var requests: [OutboxChange.Kind: @Sendable (Entity, OutboxChange) throws -> URLRequest] = [:]
  var commands: [String: CommandKind<Entity>] = [:]
  /// The attachments, by their names.
  var uploads: [String: OutboxUploading<Entity>] = [:]
  var verdict: (@Sendable (HTTPResponse) -> OutboxVerdict?)?

  /// The settings that a plan depends on.
  var planning: PlanningRules {
    var rules = PlanningRules()
    rules.repeatsCreates = keyHeader != nil || repeatsUnknown || creating.method != .post
    rules.looksUpCreates = lookUp != nil
    rules.repeatsCommands = keyHeader != nil || repeatsUnknown
    rules.uploads = uploads.mapValues { !$0.hasKey || rules.repeatsCommands }
    rules.isLast = isLast
    rules.sendsPartsFirst = sendsPartsFirst
    return rules
  }
}
