/** Values that a chart cannot take. `message` is Helm's text. */
export class ValuesError extends Error {
  override readonly name = 'ValuesError';
  readonly code = 'values_invalid';
}
