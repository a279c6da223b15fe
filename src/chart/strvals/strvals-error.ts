/** An invalid `--set` argument. `message` is Helm's text. */
export class StrvalsError extends Error {
  override readonly name = 'StrvalsError';
  readonly code = 'values_invalid';
}
