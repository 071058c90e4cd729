internal import CCurl
internal import EntityRequests
internal import Foundation
internal import Synchronization

/// The process's one libcurl thread, seen from outside: a mailbox.
///
/// Every other thread only appends to the mailbox and wakes the engine, also to cancel a request. Nothing waits for the
/// engine with a lock held, and the engine resumes nobody with a lock held, so neither can hold up the other. The
/// engine lives as long as the process. Such clients crash when they tear a multi handle down while others use it.
final class CurlEngine: Sendable {
  enum Command: Sendable {
    case start(CurlExchange, Delivery)
    case abort(CurlExchange, any Error)
    /// The request's body has bytes again.
    case resumeUpload(CurlExchange)
    /// The response's reader has room again.
    case resumeDownload(CurlExchange)
  }

  /// The engine, started by the first request; the error when libcurl could not be initialised.
  static let shared = Result { () throws(TransportError) in try CurlEngine() }

  /// Whether libcurl's TLS library tells more than libcurl does.
  static let observesTLS = ccurl_tls_find()

  private struct Mailbox {
    var commands: [Command] = []
    /// Whether the engine's thread waits, or is about to: it then has to be woken.
    var isEngineAsleep = false
  }

  private let mailbox = Mutex(Mailbox())
  // Safe: the engine's thread hands it to the loop once; every other use is curl_multi_wakeup, the one call on a multi
  // handle that is allowed from any thread (https://curl.se/libcurl/c/curl_multi_wakeup.html). The handle is never cleaned
  // up.
  private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

  private init() throws(TransportError) {
    guard ccurl_global_init() == CURLE_OK, let multi = curl_multi_init() else {
      throw TransportError(.other, "libcurl could not be initialised.", mayHaveBeenProcessed: false)
    }
    self.multi = multi
    let thread = Thread {
      // Foundation on Linux drops a name that a thread is given before it starts.
      ccurl_name_thread("EntityCurl")
      ccurl_block_signals()
      // Made here, so that nothing of the loop is ever seen by another thread.
      CurlLoop(engine: self, multi: self.multi).run()
    }
    thread.start()
  }

  func post(_ command: Command) {
    let isAsleep = mailbox.withLock { mailbox in
      mailbox.commands.append(command)
      defer { mailbox.isEngineAsleep = false }
      return mailbox.isEngineAsleep
    }
    // The first command that finds the engine asleep wakes it. An engine that works looks into the mailbox before it
    // sleeps, so it is not woken: that would be a system call for each command, and one more turn for the engine.
    if isAsleep { curl_multi_wakeup(multi) }
  }

  func cancel(_ exchange: CurlExchange) {
    exchange.isCancelled.store(true, ordering: .releasing)
    post(.abort(exchange, CancellationError()))
  }

  /// For the engine's thread: all commands posted so far.
  func drain() -> [Command] {
    mailbox.withLock { mailbox in
      mailbox.isEngineAsleep = false
      defer { mailbox.commands = [] }
      return mailbox.commands
    }
  }

  /// For the engine's thread before it waits: whether the mailbox is empty, so that the thread may wait. From now on
  /// the first command wakes the engine.
  func fallAsleep() -> Bool {
    mailbox.withLock { mailbox in
      mailbox.isEngineAsleep = mailbox.commands.isEmpty
      return mailbox.isEngineAsleep
    }
  }
}
