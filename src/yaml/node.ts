/** A scalar. */
export interface ScalarNode {
  readonly kind: 'scalar';
  readonly text: string;
  /** The full tag, empty where there is none. */
  readonly tag: string;
  /** Whether its text says what it means: it stands without quotes. */
  readonly plain: boolean;
}

/** A list. */
export interface SequenceNode {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
}

/** A mapping: its keys, each followed by its value. */
export interface MappingNode {
  readonly kind: 'mapping';
  readonly items: YamlNode[];
}

/** A node that stands elsewhere. It may contain this alias itself. */
export interface AliasNode {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

/** What a document consists of. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;
