import type { Reply } from '../../../src/agent/commands/reply.ts';
import type { SpeakingPeer } from '../../../src/agent/commands/router.ts';
import type { WireForm } from '../../../src/protocol/subprotocol.ts';

export interface Heard {
  kind: Reply['kind'];
  key: string | undefined;
  payload: { [field: string]: unknown; ok?: boolean; error?: { code: string; message: string } };
}

/** A peer that keeps what it hears. */
export class ListeningPeer implements SpeakingPeer {
  readonly form: WireForm;
  readonly heard: Heard[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(form: WireForm = 'v1') {
    this.form = form;
  }

  reply({ kind, key, payload }: Reply): void {
    this.heard.push({ kind, key, payload: JSON.parse(payload) as Heard['payload'] });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** The result of the key, once it is there. */
  async result(key: string | undefined): Promise<Heard['payload']> {
    for (;;) {
      const found = this.heard.find((heard) => heard.kind === 'result' && heard.key === key);
      if (found) return found.payload;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  kinds(key: string): string[] {
    return this.heard.filter((heard) => heard.key === key).map(({ kind }) => kind);
  }
}
