#if !canImport(FoundationNetworking)
  internal import EntityRequests
  internal import Foundation

  extension TransferMetrics {
    /// The system's figures of one request and its response.
    init(_ measured: URLSessionTaskTransactionMetrics) {
      self.init()
      func time(_ begin: Date?, _ end: Date?) -> Duration? {
        guard let begin, let end else { return nil }
        return .seconds(max(0, end.timeIntervalSince(begin)))
      }
      if measured.requestStartDate != nil { isConnectionReused = measured.isReusedConnection }
      if !measured.isReusedConnection {
        nameResolution = time(measured.domainLookupStartDate, measured.domainLookupEndDate)
        tls = time(measured.secureConnectionStartDate, measured.secureConnectionEndDate)
        // The system's time for the connection includes the time for TLS.
        connection = time(measured.connectStartDate, measured.secureConnectionStartDate ?? measured.connectEndDate)
      }
      firstByte = time(measured.fetchStartDate, measured.responseStartDate)
      if measured.requestStartDate != nil {
        bytesSent = measured.countOfRequestHeaderBytesSent + measured.countOfRequestBodyBytesSent
      }
      bytesReceived = measured.countOfResponseHeaderBytesReceived + measured.countOfResponseBodyBytesReceived
      httpVersion = measured.networkProtocolName.map { name in
        switch name {
        case "h2": "HTTP/2"
        case "h3": "HTTP/3"
        default: name.uppercased()
        }
      }
    }
  }
#endif
