public import Foundation

// What `localizedDescription` says: without it Foundation makes up a sentence that tells nothing.

extension RequestError: LocalizedError {
  public var errorDescription: String? { description }
}

extension MappingError: LocalizedError {
  public var errorDescription: String? { description }
}

extension TransportError: LocalizedError {
  public var errorDescription: String? { description }
}
