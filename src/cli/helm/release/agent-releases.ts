import * as z from 'zod';
import type { CommandTable } from '../../../protocol/commands/table.ts';
import type { ApiClient } from '../../ctl/api-client.ts';
import { packedChart } from '../../ctl/chart-to-send.ts';
import { answerSchema, knownCommand, resultOf } from '../../ctl/follow.ts';
import { readAs } from '../../ctl/read-as.ts';
import type { Releases } from './releases.ts';

/** A command that has failed on the agent. */
class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Performs commands about releases through a control plane, by an agent in its cluster. */
export function agentReleases(client: ApiClient, agentId: string, table?: CommandTable): Releases {
  return {
    async perform(type, payload, { chart, signal } = {}) {
      const never = new AbortController().signal;
      const packed =
        chart === undefined ? {} : await packedChart(chart.located, client, never, () => Promise.resolve(chart.chart));
      const { key } = await client.send(
        agentId,
        { type, payload: { ...z.encode(knownCommand(type, table).definition.payload, payload), ...packed } },
        never,
      );
      const cancel = () => {
        const command = { type: 'cancel_command', payload: { key } };
        // the command's own result says whether it was cancelled
        client.send(agentId, command, never).catch(() => undefined);
      };
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const result = await resultOf(client, key, { signal: never });
        if (!result.ok) throw new AgentError(result.error.code, result.error.message);
        return readAs(answerSchema(type, table), result, 'result');
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    close: () => Promise.resolve(),
  };
}
