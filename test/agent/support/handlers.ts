import type { CommandContext, CommandHandlers } from '../../../src/agent/commands/handler.ts';
import type { CommandType } from '../../../src/protocol/commands.ts';
import type { Answer } from '../../../src/protocol/messages.ts';

export interface Call {
  type: CommandType;
  payload: { releaseName?: string; namespace?: string | undefined };
  context: CommandContext;
  succeed(answer?: Answer): void;
  fail(error: unknown): void;
  /** Reports that a step runs. */
  report(message: string): void;
}

/** Handlers whose calls end when the test says so. */
export class PuppetHandlers {
  readonly calls: Call[] = [];
  readonly handlers: CommandHandlers;
  readonly #waiting: (() => void)[] = [];

  constructor() {
    const puppet =
      (type: CommandType) =>
      (payload: Call['payload'], context: CommandContext): Promise<Answer> => {
        const { promise, resolve, reject } = Promise.withResolvers<Answer>();
        this.calls.push({
          type,
          payload,
          context,
          succeed: (answer = { release: { name: payload.releaseName ?? '' } }) => resolve(answer),
          fail: reject,
          report: (message) =>
            context.progress({ step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', message }),
        });
        for (const wake of this.#waiting.splice(0)) wake();
        return promise;
      };
    this.handlers = {
      install_release: puppet('install_release'),
      upgrade_release: puppet('upgrade_release'),
      uninstall_release: puppet('uninstall_release'),
      list_releases: puppet('list_releases'),
      get_release: puppet('get_release'),
      deployment_info: puppet('deployment_info'),
    };
  }

  /** The call of that number, from 0, once it is made. */
  async call(index: number): Promise<Call> {
    for (;;) {
      const call = this.calls[index];
      if (call) return call;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }
}
