/** Values that are invalid for a chart. `message` is Helm's text. */
export class ValuesError extends Error {
  override readonly name = 'ValuesError';
  readonly code = 'values_invalid';
}
