import Foundation

extension StoreLocation {
  /// Gives the file, and the files beside it, a protection class where the system has classes.
  ///
  /// - Throws: ``StoreError`` of kind `cannotOpen`: a file that should be protected is not used without.
  func protect(_ protection: StoreOptions.Protection) throws {
    #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
      guard let path = fileURL?.resolvingSymlinksInPath().path else { return }
      let files = FileManager.default
      for name in ["", "-wal", "-shm"].map({ path + $0 }) where files.fileExists(atPath: name) {
        do {
          try files.setAttributes([.protectionKey: protection.type], ofItemAtPath: name)
        } catch {
          throw StoreError(
            .cannotOpen,
            "'\(name)' can't get its protection class: \(error.localizedDescription). Leave `options.protection` out, or "
              + "choose another folder.")
        }
      }
    #endif
  }
}

#if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
  extension StoreOptions.Protection {
    fileprivate var type: FileProtectionType {
      switch self {
      case .complete: .complete
      case .completeUnlessOpen: .completeUnlessOpen
      case .completeUntilFirstUserAuthentication: .completeUntilFirstUserAuthentication
      case .unprotected: FileProtectionType.none
      }
    }
  }
#endif
