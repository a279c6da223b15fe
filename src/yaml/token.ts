/** A place where a mapping may turn out to have begun without a mark, once a colon follows. */
export interface SimpleKey {
  possible: boolean;
  /** Whether its token waits until that is known. */
  awaited: boolean;
  /** Whether only a key can stand here, so that a missing colon is an error. */
  readonly required: boolean;
  /** The number of its token, counted from the start of the text. */
  readonly token: number;
  readonly position: number;
  readonly line: number;
  readonly column: number;
}

type Mark =
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'stream-end';

/** A piece of YAML: the line that it starts on, counted from 0, and the key that may begin with it. */
export type Token = { line: number; key?: SimpleKey } & (
  | { type: Mark }
  | { type: 'version'; version: string }
  | { type: 'tag-directive'; handle: string; prefix: string }
  | { type: 'alias' | 'anchor'; name: string }
  | { type: 'tag'; handle: string; suffix: string }
  | { type: 'scalar'; text: string; plain: boolean }
);
