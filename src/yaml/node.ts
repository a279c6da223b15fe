interface Placed {
  /** The line that it starts on, its anchor and tag included, counted from 0. */
  readonly line: number;
}

/** A scalar. */
export interface ScalarNode extends Placed {
  readonly kind: 'scalar';
  readonly text: string;
  /** The full tag, empty where there is none. */
  readonly tag: string;
  /** Whether its text says what it means: it stands without quotes. */
  readonly plain: boolean;
}

/** A list. */
export interface SequenceNode extends Placed {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
}

/** A mapping: its keys, each followed by its value. */
export interface MappingNode extends Placed {
  readonly kind: 'mapping';
  readonly items: YamlNode[];
}

/** A node that stands elsewhere. It may contain this alias itself. */
export interface AliasNode extends Placed {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

/** What a document consists of. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;
