import FlyingFox
import FlyingSocks
public import Foundation

/// The sample API server: users with addresses, and a blog of theirs, as a plain REST API over HTTP/1.1 on the loopback
/// interface.
///
/// ```swift
/// let server = SampleServer(userCount: 10_000, token: "secret")
/// let url = try await server.start()             // http://127.0.0.1:49152/
/// …
/// await server.stop()
/// ```
///
/// | request | answer |
/// | --- | --- |
/// | `GET /users` | 200, an array of all users, by ascending id |
/// | `GET /users?page=2&per_page=50` | 200, one page (pages count from 1), with `Link` (RFC 8288) and `X-Total-Count` |
/// | `GET /users/7` | 200, one user |
/// | `POST /users` | 201, the created user with its id, and `Location`; `created_at` is filled in when absent |
/// | `PUT /users/7` | 200, the user; each attribute of the body replaces the old value, `address` as a whole |
/// | `PATCH /users/7` | 200, the user; as PUT, but `address` is merged too |
/// | `DELETE /users/7` | 204 |
/// | `GET /users?q=ada&per_page=5` | 200, users with the text in name or e-mail address |
/// | `GET /users?email=ada@example.com` | 200, an array of the users with this e-mail address |
/// | `PUT /users/7/avatar` | 200, `{"avatar_url": …}`; the body is a PNG image |
/// | `GET /users/7/comments` | 200, one page of the user's comments |
/// | `GET /posts?page=2&tag=5` | 200, one page of posts, of those with a tag if one is named; tags are ids |
/// | `GET`, `PATCH /posts/7` | 200, the post |
/// | `GET`, `POST /posts/7/comments` | 200 and all comments on it; 201 and the new one, of `text` and `author_id` |
/// | `GET /tags?sort=-post_count&limit=3` | 200, an array of tags |
/// | `GET /feed?page=2` | 200, `{"posts": […], "comments": […], …}`: one page of posts and all that they refer to |
/// | `GET`, `POST /todos` | 200, an array of all todos; 201 and the new one, once for an `Idempotency-Key` |
/// | `GET`, `PATCH`, `DELETE /todos/7` | 200, 204; with `If-Match: "3"` a change is of version 3 alone, else 412 |
/// | `GET /todos/events` | 200, a stream of events: the changes after `Last-Event-ID`, and then each as it is made |
/// | `GET /health` | 200, `{"status": "ok"}`, without a token too |
///
/// PUT leaves an attribute that the body does not name as it was, as many deployed APIs do. With both verbs, `null`
/// clears an attribute, which is then answered as `null`; an `id` in a body is ignored. `HEAD` goes wherever `GET`
/// does.
///
/// A body is JSON, or a form (`application/x-www-form-urlencoded`), in which `address[city]=Oslo` is an attribute of
/// the address and an empty field is `null`.
///
/// Errors answer with `{"error": {"code": "not_found", "message": "No user has the id 7."}}`: 400 (`malformed_json`,
/// `invalid_body`, `incomplete_body`, `invalid_parameter`), 401 (`unauthorized`), 404 (`not_found`), 405
/// (`method_not_allowed`, with `Allow`), 413 (`body_too_large`), 415 (`unsupported_media_type`) and 422
/// (`invalid_email`: the e-mail address of a user has no @; `invalid_todo`: a todo without a title, or with a long one).
///
/// A user is a function of its id (see `UserGenerator`), so two servers of one size serve the same bytes and a hundred
/// thousand users cost no memory; only changed, created and deleted ones are kept, in memory, until the server is
/// released. Each of the first users has two posts, see `BlogData`. A stopped server may be started again: it has its
/// data still, on another port or on its old one.
public actor SampleServer {
  private let backend: Backend
  private var running: Task<Running, any Error>?

  private struct Running {
    let server: HTTPServer
    let task: Task<Void, any Error>
    let url: URL
  }

  /// Makes a server; it listens from ``start()`` on.
  ///
  /// - Parameters:
  ///   - userCount: The users that exist at first, with the ids 1 to `userCount`. A negative count is 0.
  ///   - token: When set, each request but `/health` must carry it: `Authorization: Bearer TOKEN` (RFC 6750 §2.1).
  ///   - pageSize: The users on one page of a request that names no `per_page`. At least 1.
  public init(userCount: Int, token: String? = nil, pageSize: Int = 100) {
    backend = Backend(
      users: UserData(count: userCount), todos: TodoData(), token: token, pageSize: max(1, pageSize))
  }

  /// Makes a server of todos, which it keeps in a file: it has them still when the process starts again.
  ///
  /// - Parameter file: The file, which need not be there yet.
  /// - Throws: An error with a sentence for a file that no such server has written.
  public init(todosIn file: URL) throws {
    backend = Backend(users: UserData(count: 0), todos: try TodoData(file: file), token: nil, pageSize: 100)
  }

  /// Listens on a port of 127.0.0.1, and answers its URL, which ends with a slash.
  ///
  /// A server that runs already answers the URL it has.
  /// - Parameter port: The port; 0 for any free one.
  /// - Throws: The error of the system when it gave no port.
  public func start(on port: UInt16 = 0) async throws -> URL {
    let starting = running ?? Task { try await Self.listen(backend, port) }
    running = starting
    do {
      return try await starting.value.url
    } catch {
      if running == starting { running = nil }
      throw error
    }
  }

  /// Closes the port and every connection, also those whose answer is still under way. Does nothing when not running.
  public func stop() async {
    guard let stopping = running else { return }
    running = nil
    guard let running = try? await stopping.value else { return }
    backend.endListening()
    await running.server.stop()
    _ = await running.task.result
    backend.releaseAnswers()
  }

  /// The number of users that exist now.
  public nonisolated var userCount: Int {
    backend.users.count
  }

  /// The requests so far: counts by method and path, and the last request in full.
  public nonisolated var log: RequestLog {
    backend.log
  }

  /// Forgets the requests so far; the data stays.
  public nonisolated func resetLog() {
    backend.resetLog()
  }

  /// Does the work of requests from now on, and holds their answers back: a client can't tell what became of a request.
  ///
  /// - Returns: The requests whose answers are held back, as they arrive. They end with ``releaseAnswers()``.
  public nonisolated func holdAnswers() -> AsyncStream<RequestLog.Request> {
    backend.holdAnswers()
  }

  /// Sends the answers that are held back, and holds back no more.
  public nonisolated func releaseAnswers() {
    backend.releaseAnswers()
  }

  private static func listen(_ backend: Backend, _ port: UInt16) async throws -> Running {
    // Making a large answer takes a while in a debug build under a sanitizer.
    let server = try HTTPServer(
      address: .inet(ip4: "127.0.0.1", port: port), timeout: 120, pool: PromptPool(HTTPServer.defaultPool()),
      logger: .disabled, handler: Routes(backend: backend))
    let task = Task { try await server.run() }
    do {
      // A loaded machine may take its time.
      try await server.waitUntilListening(timeout: 60)
      guard case .ip4(_, let port) = await server.listeningAddress,
        let url = URL(string: "http://127.0.0.1:\(port)/")
      else { throw SocketError.unsupportedAddress }
      return Running(server: server, task: task, url: url)
    } catch {
      task.cancel()
      throw error
    }
  }
}
