import EntityStore
import Foundation
import HTTPFoundation

/// The place of an iteration in its stream: the id of the last event, which the file may keep.
struct EventStreamPlace: Sendable {
  /// Empty for none.
  private(set) var id: String
  /// The account whose place it is.
  private let account: String?
  /// The name in the file; `nil` where the place is not kept.
  private let key: AnswerKey?

  /// The place that the file has for a request.
  ///
  /// - Throws: ``RequestError`` of kind `upsert` where the file can't be read; `CancellationError`.
  init(_ request: URLRequest, _ events: ServerSentEvents) async throws {
    account = events.receiver.client.accountName
    key = events.options.resumes ? Self.key(request, account, events.receiver) : nil
    id = ""
    guard let key, let store = events.receiver.store else { return }
    do {
      id = try await store.core.streamPosition(key) ?? ""
    } catch let error where !(error is CancellationError) {
      throw RequestError(
        .upsert, "The place in the event stream could not be read: \(RequestError.shown(error))", underlying: error)
    }
  }

  /// The name is a hash, so that neither a token in the URL nor the account can be read in the file. Nothing that depends
  /// on a secret is written.
  private static func key(_ request: URLRequest, _ account: String?, _ receiver: PushReceiver) -> AnswerKey? {
    guard receiver.store != nil, account != nil || request.credentials.isEmpty else { return nil }
    var hash = SHA256()
    hash.add("event stream")
    hash.add(request.url?.absoluteString)
    hash.add(account)
    return AnswerKey(hash.digits())
  }

  /// Whether it is the place of the account that is logged in now.
  func isCurrent(_ events: ServerSentEvents) -> Bool { account == events.receiver.client.accountName }

  /// The place to be kept with an event; `nil` where none is, or where the file has it.
  func position(_ id: String?) -> StreamPosition? {
    let id = id ?? ""
    guard let key, id != self.id, Self.canBeSent(id) else { return nil }
    return StreamPosition(key: key, text: id, time: AnswerClock.now())
  }

  /// An event was taken in.
  mutating func note(_ id: String?) { move(to: id ?? "") }

  /// - Parameter id: The id; one that no header field can have changes nothing: the server then repeats some events.
  mutating func move(to id: String) { if Self.canBeSent(id) { self.id = id } }

  private static func canBeSent(_ id: String) -> Bool { HeaderField.isValue(id) && id.utf8.allSatisfy { $0 < 0x80 } }
}
