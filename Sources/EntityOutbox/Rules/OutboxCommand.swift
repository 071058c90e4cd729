import EntityJSON
import EntityRequests
import EntityStore
public import HTTPFoundation

/// A request about an object that is no edit of its columns, such as "cancel" or "publish". It is kept in the file until it
/// is sent.
///
/// ```swift
/// struct CancelOrder: OutboxCommand {
///   static let name = "cancel"
///   var reason: String
///
///   func request(for order: Order) throws -> URLRequest {
///     var request = try Order.request(.post, uid: order.uid)
///     request.url?.append(path: "cancel")
///     try request.setJSON(["reason": reason])
///     return request
///   }
///   func apply(to order: Order) { order.status = "cancelled" }
/// }
///
/// extension Order: OutboxEntity {
///   static var outbox: OutboxRules<Order> { [.rest, .command(CancelOrder.self)] }
/// }
/// try await outbox.enqueue(CancelOrder(reason: "late"), on: order.entityID)
/// ```
///
/// A command takes its place among the changes of its object: edits that were saved before go first, with the values
/// that they had, and later edits follow.
public protocol OutboxCommand: Codable, Sendable {
  /// The entity of the objects.
  associatedtype Entity: OutboxEntity

  /// The name of the command in the file. No two commands of an entity share one, and a new version of the app keeps it.
  static var name: String { get }

  /// The request, made when its turn has come: the object has its uid by then.
  ///
  /// - Parameter object: The object, in a context that reads the store.
  func request(for object: Entity) throws -> URLRequest

  /// Shows the effect at once. The changed properties are never sent as edits. They go back if the command is dropped, and
  /// the response to the command decides about them.
  ///
  /// - Parameter object: The object, in a unit of work. The default changes nothing.
  func apply(to object: Entity) throws
}

extension OutboxCommand {
  public func apply(to object: Entity) throws {}
}

/// A kind of commands, without its type.
struct CommandKind<Entity: OutboxEntity>: Sendable {
  /// Makes the request of a command that the file has.
  let request: @Sendable (_ arguments: String, _ object: Entity) throws -> URLRequest

  init<Command: OutboxCommand>(_ type: Command.Type) where Command.Entity == Entity {
    request = { arguments, object in
      let command: Command
      do {
        command = try JSONValueDecoder().decode(Command.self, from: Data(arguments.utf8))
      } catch {
        throw RequestError(
          .invalidRequest,
          "The command '\(Command.name)' in the file can't be read by this version of the app: \(RequestError.shown(error)). "
            + "Drop it, or open the file with the version that made it.")
      }
      return try command.request(for: object)
    }
  }
}
