/** A position where a mapping without indicator may have begun; a following colon decides. */
export interface SimpleKey {
  possible: boolean;
  /** Whether the token waits until that is decided. */
  awaited: boolean;
  /** Whether only a key is allowed here, so that a missing colon is an error. */
  readonly required: boolean;
  /** Number of the key's token, counted from the start of the text. */
  readonly token: number;
  /** Number of characters before it. */
  readonly characters: number;
  readonly line: number;
  readonly column: number;
}

type Indicator =
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

/** A YAML token, the line on which it starts, from 0, and the key that may begin with it. */
export type Token = { line: number; key?: SimpleKey } & (
  | { type: Indicator }
  | { type: 'version'; version: string }
  | { type: 'tag-directive'; handle: string; prefix: string }
  | { type: 'alias' | 'anchor'; name: string }
  | { type: 'tag'; handle: string; suffix: string }
  | { type: 'scalar'; text: string; plain: boolean }
);
