// Foundation with its HTTP types: `URLRequest` and its kin stand in a module of their own on Linux.

@_exported import Foundation

#if canImport(FoundationNetworking)
  @_exported import FoundationNetworking
#endif
