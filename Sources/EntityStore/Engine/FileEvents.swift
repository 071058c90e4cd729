import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The system's reports of changed files, for all stores of the process: the system gives each user few sources of
/// them.
final class FileEvents: Sendable {
  static let shared = FileEvents()

  /// A listener's place at a file. Its end removes the listener.
  final class Subscription: Sendable {
    private let end: @Sendable () -> Void

    init(end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
  }

  #if canImport(Glibc) || canImport(Musl)
    private final class Listener: Sendable {
      let changed: @Sendable () -> Void

      init(_ changed: @escaping @Sendable () -> Void) { self.changed = changed }
    }

    private struct State {
      /// By the system's number of the file.
      var listeners: [Int32: [ObjectIdentifier: Listener]] = [:]
      var source: (any DispatchSourceRead)?
    }

    /// https://man7.org/linux/man-pages/man7/inotify.7.html
    private let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    private let state = Mutex(State())

    private init() {
      guard descriptor >= 0 else { return }
      state.withLock { state in
        let source = DispatchSource.makeReadSource(
          fileDescriptor: descriptor, queue: DispatchQueue(label: "EntityStore.files", qos: .utility))
        source.setEventHandler { [unowned self] in readEvents() }
        source.resume()
        state.source = source
      }
    }

    /// Has `changed` called after each write to the file.
    ///
    /// - Returns: `nil` where the system does not report writes.
    func subscribe(to path: String, changed: @escaping @Sendable () -> Void) -> Subscription? {
      guard descriptor >= 0 else { return nil }
      let listener = Listener(changed)
      let file = state.withLock { state -> Int32? in
        // The number is the same for all listeners of a file.
        let file = inotify_add_watch(descriptor, path, UInt32(IN_MODIFY))
        guard file >= 0 else { return nil }
        state.listeners[file, default: [:]][ObjectIdentifier(listener)] = listener
        return file
      }
      return file.map { file in
        Subscription { [self] in remove(listener, of: file) }
      }
    }

    private func remove(_ listener: Listener, of file: Int32) {
      state.withLock { state in
        state.listeners[file]?[ObjectIdentifier(listener)] = nil
        guard state.listeners[file]?.isEmpty == true else { return }
        state.listeners[file] = nil
        inotify_rm_watch(descriptor, file)
      }
    }

    private func readEvents() {
      var files: Set<Int32> = []
      // True where the system had no room for more reports.
      var isAny = false
      withUnsafeTemporaryAllocation(byteCount: 4096, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
        while true {
          let count = read(descriptor, buffer.baseAddress, buffer.count)
          guard count > 0 else { return }
          var offset = 0
          while offset + MemoryLayout<inotify_event>.size <= count {
            let event = buffer.load(fromByteOffset: offset, as: inotify_event.self)
            files.insert(event.wd)
            if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isAny = true }
            offset += MemoryLayout<inotify_event>.size + Int(event.len)
          }
        }
      }
      let listeners = state.withLock { [isAny, files] state in
        state.listeners.filter { isAny || files.contains($0.key) }.flatMap(\.value.values)
      }
      for listener in listeners { listener.changed() }
    }
  #else
    /// - Returns: `nil`: the caller looks at the file by itself.
    func subscribe(to path: String, changed: @escaping @Sendable () -> Void) -> Subscription? { nil }
  #endif
}
