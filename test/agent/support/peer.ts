import type { ConnectedPeer } from '../../../src/agent/router/admission.ts';
import type { Reply } from '../../../src/agent/router/reply.ts';
import type { WireForm } from '../../../src/protocol/subprotocol.ts';

export interface ReceivedReply {
  kind: Reply['kind'];
  key: string | undefined;
  payload: { [field: string]: unknown; ok?: boolean; error?: { code: string; message: string } };
}

/** A peer that keeps the replies to its commands. */
export class RecordingPeer implements ConnectedPeer {
  readonly form: WireForm;
  readonly replies: ReceivedReply[] = [];
  readonly #waiting: (() => void)[] = [];

  constructor(form: WireForm = 'v1') {
    this.form = form;
  }

  reply({ kind, key, payload }: Reply): void {
    this.replies.push({ kind, key, payload: JSON.parse(payload) as ReceivedReply['payload'] });
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Returns the result of the key once it has arrived. */
  async result(key: string | undefined): Promise<ReceivedReply['payload']> {
    return await this.received(key, 'result');
  }

  /** Returns the first reply of a kind to the key once it has arrived. */
  async received(key: string | undefined, kind: Reply['kind']): Promise<ReceivedReply['payload']> {
    for (;;) {
      const found = this.replies.find((reply) => reply.kind === kind && reply.key === key);
      if (found) return found.payload;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  kinds(key: string): string[] {
    return this.replies.filter((reply) => reply.key === key).map(({ kind }) => kind);
  }
}
