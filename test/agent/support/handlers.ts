import type { CommandContext, CommandHandler, CommandHandlers } from '../../../src/agent/commands/command-handler.ts';
import { type CommandAnswers, commands, type CommandType, commandTypes } from '../../../src/protocol/commands/index.ts';
import { testRelease } from './release.ts';

export interface Call {
  type: CommandType;
  payload: {
    releaseName?: string | undefined;
    namespace?: string | undefined;
    chartName?: string | undefined;
    key?: string;
    plan?: string;
  };
  context: CommandContext;
  /**
   * Ends the command with these fields. Default: a release of the name in the payload, or what the
   * command returns.
   */
  succeed(answer?: object): void;
  fail(error: unknown): void;
  /** Reports a running step. */
  report(message: string): void;
}

/** Handlers that wait until a test ends their calls. */
export class PuppetHandlers {
  readonly calls: Call[] = [];
  readonly handlers: CommandHandlers;
  readonly #waiting: (() => void)[] = [];

  constructor() {
    const handlers = commandTypes.map((type) => [type, this.#handler(type)]);
    this.handlers = Object.fromEntries(handlers) as CommandHandlers; // one handler for each type
  }

  /** Returns the call with this index once it is made. */
  async call(index: number): Promise<Call> {
    for (;;) {
      const call = this.calls[index];
      if (call) return call;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  #handler<Type extends CommandType>(type: Type): CommandHandler<Type> {
    return (payload: Call['payload'], context) => {
      const { promise, resolve, reject } = Promise.withResolvers<CommandAnswers[Type]>();
      this.calls.push({
        type,
        payload,
        context,
        // tests give fields of the command's type
        succeed: (answer = {}) => resolve({ ...defaultAnswer(type, payload), ...answer } as CommandAnswers[Type]),
        fail: reject,
        report: (message) =>
          context.progress({ step: 'wait', state: 'running', time: '2026-01-01T00:00:00.000Z', message }),
      });
      for (const wake of this.#waiting.splice(0)) wake();
      return promise;
    };
  }
}

function defaultAnswer(type: CommandType, { releaseName }: Call['payload']): object {
  const defaults: Record<string, unknown> = { release: testRelease(releaseName), releases: [], deployment: {} };
  const field = commands[type].plainField;
  return { [field]: defaults[field] };
}
