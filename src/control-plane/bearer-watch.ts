import type { User } from './access/authenticate-user.ts';
import { bearersOf, type Token } from './token.ts';

/** Interval between checks whether the token is still valid. */
const checkIntervalMs = 500;

interface Watched {
  authorization: string | undefined;
  gone: AbortController;
}

/** Ends what users have opened when their token is revoked, or not valid any more. */
export class BearerWatch {
  readonly #token: Token | undefined;
  readonly #watched = new Set<Watched>();
  #checks: NodeJS.Timeout | undefined;

  /** The API token, which may be replaced. Undefined: there is none. */
  constructor(token: Token | undefined) {
    this.#token = token;
  }

  /**
   * Aborts the controller when a user may not use the API any more. Returns a function that ends
   * the watch.
   */
  add(
    { principal: { revoked }, hasApiToken }: Pick<User, 'principal' | 'hasApiToken'>,
    authorization: string | undefined,
    gone: AbortController,
  ): () => void {
    const leave = () => gone.abort();
    revoked?.addEventListener('abort', leave, { once: true });
    if (revoked?.aborted === true) leave();
    const endChecks = hasApiToken ? this.#addChecked({ authorization, gone }) : undefined;
    return () => {
      revoked?.removeEventListener('abort', leave);
      endChecks?.();
    };
  }

  #addChecked(watched: Watched): () => void {
    this.#watched.add(watched);
    const token = this.#token;
    if (typeof token === 'function') this.#checks ??= setInterval(() => void this.#check(token), checkIntervalMs);
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size > 0) return;
      clearInterval(this.#checks);
      this.#checks = undefined;
    };
  }

  async #check(token: Token): Promise<void> {
    const watched = [...this.#watched];
    const bearers = await bearersOf(
      watched.map(({ authorization }) => authorization),
      token,
    );
    for (const { authorization, gone } of watched) if (bearers?.has(authorization) === false) gone.abort();
  }
}
