import EntityStore
import HTTPFoundation

extension AnswerKey {
  /// The name of the answer to a request, made of all that the answer and its objects depend on. It is a hash, so that
  /// neither a token in the URL nor the identity can be read in the file.
  ///
  /// Without the name of the account, the answer to a request with credentials is kept for this process alone: nothing
  /// that depends on a secret is written.
  init<E: RemoteEntity>(_ request: URLRequest, _ reading: EntityReading<E>) {
    let (envelope, identity) = (reading.envelope.declared, reading.identity)
    var hash = SHA256()
    hash.add(request.url?.absoluteString)
    hash.add(request.value(forHTTPHeaderField: "Accept"))
    hash.add(request.httpBody.map { String(decoding: $0, as: UTF8.self) })
    hash.add(E.entityName)
    // The objects of a relationship get a link to its owner. An equal request of another kind does not set that link.
    if case .relationship(let owner) = reading.purpose { hash.add("\(owner.entity) \(owner.pk) \(owner.property)") }
    hash.add("\(envelope.list ?? "-") \(envelope.item ?? "-") \(envelope.isOptional)")
    if envelope.isEmptyIfAbsent {
      hash.add("\(envelope.emptyMark?.key ?? "-") \(envelope.emptyMark?.values.sorted() ?? [])")
    }
    for part in reading.options.parts { hash.add(part.shown) }
    hash.add("\(reading.options.upsert)")
    hash.add(
      reading.core.mappingFingerprint { model in
        (model.type as? any RemoteEntity.Type)?.mappingDeclarations(model) ?? ""
      })
    hash.add("\(reading.nothing.rawValue)")
    hash.add(identity)
    let credentials = identity == nil ? request.credentials : []
    for (name, value) in credentials {
      hash.add(name)
      hash.add(value)
    }
    self.init(hash.digits(), isVolatile: !credentials.isEmpty)
  }
}

extension ResponsePart {
  /// The kind of result that the part reads, as a text that differs from the text of any other part.
  fileprivate var shown: String {
    switch entities {
    case .one(let type): "\(keyPath.utf8.count):\(keyPath) \(form) \(type.entityName)"
    case .discriminated(let types):
      "\(keyPath.utf8.count):\(keyPath) of \(types.map { $0.entityName })"
    case .typed(let key, let types):
      "\(keyPath.utf8.count):\(keyPath) \(key.utf8.count):\(key) "
        + types.map { "\($0.key.utf8.count):\($0.key) \($0.value.entityName)" }.sorted().joined(separator: " ")
    }
  }
}

extension URLRequest {
  /// The header fields that may identify the account, sorted.
  var credentials: [(name: String, value: String)] {
    HTTPHeaders(self).filter { Self.isCredential($0.name) }.map { ($0.name.lowercased(), $0.value) }
  }

  /// True for the fields of RFC 9110 §11 and RFC 6265, and for fields whose names suggest credentials.
  static func isCredential(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["auth", "cookie", "token", "key", "secret", "session", "credential", "signature"].contains {
      name.contains($0)
    }
  }
}

extension RemoteEntity {
  /// The declarations, besides its properties, that decide what is taken in.
  ///
  /// Properties stand there by their names. The description of a key path to a computed property has an address, which is
  /// another one in each process.
  static func mappingDeclarations(_ model: EntityModel) -> String {
    func name(_ keyPath: AnyKeyPath) -> String { model.index(of: keyPath).map { model.properties[$0].name } ?? "" }
    let types = discriminator.map { "\($0.key) \($0.values.sorted())" } ?? ""
    let origins = origins.map { "\($0.source) \(name($0.keyPath))" }
    let version = versionAttribute.map(name) ?? ""
    let cleared = "\(absentKeys.isAll) \(absentKeys.properties.map(name).sorted())"
    let nothing = nothingByProperty.map { "\(name($0.key)) \($0.value.rawValue)" }.sorted()
    let values = "\(nothing) \(Self.nothing.map { "\($0.rawValue)" } ?? "")"
    return
      "\(updatesByHand) \(responseUIDKey ?? "") \(otherUIDKeys) \(nameAttribute.map(name) ?? "") \(deletionKey ?? "") \(deletedElements != nil) \(types) \(origins) \(version) \(cleared) \(values)"
  }
}
