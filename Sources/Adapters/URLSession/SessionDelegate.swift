internal import HTTPFoundation

/// Hands the events of a session on to its exchanges, in the order in which they come.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let exchanges: SessionExchanges

  init(_ exchanges: SessionExchanges) { self.exchanges = exchanges }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // URLSession stops the process when a cancelled task gets its answer.
      guard exchanges.exchange(task)?.isLeftToEnd() == true else { return }
    #endif
    completionHandler(nil)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if canImport(FoundationNetworking)
      // The whole response is there, but no answer to the challenge lets the task end with it. So the exchange ends
      // here, and the task ends with an error that nobody hears.
      exchanges.exchange(task)?.challenged(task.response)
    #else
      // There are no credentials; a server's certificate is checked as the system does.
      completionHandler(.performDefaultHandling, nil)
    #endif
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchanges.exchange(task)?.sent(totalBytesSent)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { exchanges.exchange(dataTask)?.received(response) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchanges.exchange(dataTask)?.received(data)
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    completionHandler(nil)
  }

  #if !canImport(FoundationNetworking)
    // URLSession on Linux measures nothing.
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
      guard let last = metrics.transactionMetrics.last else { return }
      exchanges.exchange(task)?.measured(TransferMetrics(last))
    }
  #endif

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    exchanges.remove(task)?.completed(error, task.response)
  }
}
