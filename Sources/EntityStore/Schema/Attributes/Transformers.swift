/// The transformers of the library, and protocols for families of one's own; see ``AttributeTransformer``.
public enum Transformers {}
