public import EntityRequests
import EntityStore
import Testing

extension RecordingAdapter {
  /// Runs a test with a recording, and ends the recording: it is written, or it must be used up. Where `body` throws,
  /// neither happens.
  ///
  /// - Parameters:
  ///   - name: The name of the file, without extension.
  ///   - adapter: Sends the requests to record; a replay needs none.
  ///   - mode: Whether to record; `nil` leaves it to the environment.
  ///   - order: The order in which requests are replayed.
  ///   - redaction: Takes out the secrets.
  ///   - file: The test's file.
  ///   - body: The test.
  /// - Throws: ``RecordingError``; the error of `body`; the file system's error.
  public nonisolated(nonsending) static func use<R>(
    _ name: String, around adapter: (any RequestAdapter)? = nil, mode: Mode? = nil, order: Order = .strict,
    redaction: RecordingRedaction = .standard, file: String = #filePath,
    _ body: nonisolated(nonsending) (RecordingAdapter) async throws -> R
  ) async throws -> R {
    let recording = try RecordingAdapter(
      name, around: adapter, mode: mode, order: order, redaction: redaction, file: file)
    let result: R
    do { result = atCaller(try await body(recording)) } catch { throw atCaller(error) }
    try recording.finish()
    return result
  }
}
