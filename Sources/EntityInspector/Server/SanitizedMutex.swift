#if ENTITYCLIENT_TSAN
  import EntityStore

  typealias Mutex = SanitizedMutex
#endif
