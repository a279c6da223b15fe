interface NodeBase {
  /** Line on which the node starts, including its anchor and tag, from 0. */
  readonly line: number;
}

/** A scalar. */
export interface ScalarNode extends NodeBase {
  readonly kind: 'scalar';
  readonly text: string;
  /** The full tag; empty if there is none. */
  readonly tag: string;
  /** Whether the scalar is unquoted, so that its text decides its type. */
  readonly plain: boolean;
}

/** A list. */
export interface SequenceNode extends NodeBase {
  readonly kind: 'sequence';
  readonly items: YamlNode[];
}

/** A mapping: its keys, each followed by its value. */
export interface MappingNode extends NodeBase {
  readonly kind: 'mapping';
  readonly items: YamlNode[];
}

/** A reference to another node, which may contain this alias itself. */
export interface AliasNode extends NodeBase {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: YamlNode;
}

/** A node of a document. */
export type YamlNode = ScalarNode | SequenceNode | MappingNode | AliasNode;
