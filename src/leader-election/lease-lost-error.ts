/** This process does not lead any more: another one may do what it was about to do. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
  readonly code = 'lease_lost';

  constructor(reason: string) {
    super(`this process has stopped, because another one may lead now: ${reason}`);
  }
}
