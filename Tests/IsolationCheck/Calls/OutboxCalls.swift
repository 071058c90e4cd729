import EntityOutbox
import EntityRequests
import EntityStore
import Foundation
import HTTPFoundation

extension Word: OutboxEntity {
  static var outbox: OutboxRules<Word> { [.rest, .command(Shout.self), .attachment("sound", .put("sound"))] }
}

struct Shout: OutboxCommand {
  static let name = "shout"
  var fails = false

  func request(for word: Word) throws -> URLRequest { try Word.request(.post, "shout") }
  func apply(to word: Word) throws { if fails { throw Stop() } }
}

extension Scene {
  func checkOutbox(on actor: isolated any Actor) async throws {
    // Nothing of the outbox fails but the store, or the task that waits.
    let fails = mode == .cancelled || mode == .busy
    let outbox = try Outbox(client)
    let entry = OutboxEntry(key: RowKey(entity: 0, pk: 1), kind: .update, state: .refused, time: 0)
    let item = OutboxItem(entry, .refused, store.core.schema)
    var file = OutboxEntry(key: entry.key, kind: .command, state: .waiting, time: 0)
    file.kept =
      #"{"attachment":{"contentType":"a/b","copy":"00000000000000000000000000000000","digest":"","filename":"a","#
      + #""furthest":0,"setbacks":0,"size":0}}"#
    let upload = OutboxUpload(file, store.core.schema)
    let id = (try? await store.background { try $0.insert(Word.self).entityID }) ?? EntityID(pk: 1)
    let value = PendingValue.attribute(.null)
    let conflict = Conflict(
      id: id.untyped, uid: nil, property: "text", values: (value, value, value), isLocalEdit: false)
    await hold(on: actor)
    defer { letGo() }
    var failure: (any Error)?
    do { _ = try await outbox.send() } catch { failure = error }
    saw("Outbox.swift send()", &failure, fails: mode == .cancelled, on: actor)
    do { _ = try await outbox.plan() } catch { failure = error }
    saw("Outbox.swift plan()", &failure, fails: fails, on: actor)
    do { _ = try await outbox.explain(EntityID<Word>(pk: 1)) } catch { failure = error }
    saw("Outbox.swift explain(_:)", &failure, fails: fails, on: actor)
    do { _ = try await outbox.items() } catch { failure = error }
    saw("Outbox.swift items()", &failure, fails: fails, on: actor)
    do { try await outbox.adopt() } catch { failure = error }
    saw("Outbox.swift adopt()", &failure, fails: fails, on: actor)
    do { try await outbox.retry(item) } catch { failure = error }
    saw("Outbox+Settling.swift retry(_:)", &failure, fails: fails, on: actor)
    do { try await outbox.drop(item) } catch { failure = error }
    saw("Outbox+Settling.swift drop(_:)", &failure, fails: fails, on: actor)
    do { try await outbox.restore(item) } catch { failure = error }
    saw("Outbox+Settling.swift restore(_:)", &failure, fails: fails, on: actor)
    do { try await outbox.confirm(item, .happened(uid: 1)) } catch { failure = error }
    saw("Outbox+Settling.swift confirm(_:_:)", &failure, fails: fails, on: actor)
    do { try await outbox.confirm(item, .didNotHappen) } catch { failure = error }
    saw("Outbox+Settling.swift confirm(_:_:)", &failure, fails: fails, on: actor)
    do { _ = try await outbox.conflicts(of: item) } catch { failure = error }
    saw("Outbox+Settling.swift conflicts(of:)", &failure, fails: fails, on: actor)
    do { try await outbox.settle(conflict, .mine) } catch { failure = error }
    saw("Outbox+Settling.swift settle(_:_:)", &failure, fails: fails, on: actor)
    do { try await outbox.enqueue(Shout(fails: mode == .throwing), on: id) } catch { failure = error }
    saw("Outbox+Settling.swift enqueue(_:on:)", &failure, on: actor)
    // A file that is not there is named before the task is looked at.
    if mode != .cancelled {
      do { try await outbox.attach(URL(filePath: "/none"), as: "sound", to: id) } catch { failure = error }
      saw("Outbox+Settling.swift attach(_:as:to:filename:contentType:)", &failure, fails: true, on: actor)
    }
    if let upload { do { try await outbox.drop(upload) } catch { failure = error } }
    saw("Outbox+Settling.swift drop(_:)", &failure, fails: fails, on: actor)
    await outbox.stop()
    saw("Outbox.swift stop()", &failure, fails: false, on: actor)
  }
}
