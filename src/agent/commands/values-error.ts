/** Values that are not a YAML mapping. */
export class ValuesTextError extends Error {
  override readonly name = 'ValuesTextError';
  readonly code = 'values_invalid';
  readonly position: { file: string; line?: number };

  constructor(message: string, line: number | undefined) {
    super(message);
    this.position = { file: 'values', ...(line !== undefined && { line }) };
  }
}
