/** A patch that cannot be made, because an object lacks what its kind requires. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
  readonly code = 'invalid';
}
