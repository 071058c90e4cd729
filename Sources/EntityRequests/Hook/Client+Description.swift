extension Client: CustomStringConvertible, CustomReflectable {
  /// The base URL without user info, the type of the adapter, and the headers without values that may be secrets.
  public var description: String {
    "Client of \(baseURL.shown), \(type(of: adapter)), \((try? store) == nil ? "no store" : "with a store"), \(headers)"
  }

  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
