import type { ExecutionContext } from 'ava';
import { type AgentOptions, startAgent } from '../../../src/agent/agent.ts';
import { PuppetHandlers } from './handlers.ts';
import { recordingLog } from './log.ts';

/** Starts an agent that reconnects fast and is stopped when the test ends. */
export async function testAgent(t: ExecutionContext, options: Partial<AgentOptions>) {
  const puppets = new PuppetHandlers();
  const { log, lines } = recordingLog();
  const agent = await startAgent({
    agentId: 'edge-1',
    instanceId: 'instance-1',
    version: '1.2.3',
    handlers: puppets.handlers,
    log,
    random: () => 0.5,
    now: () => new Date(),
    ...options,
    times: { backoff: { baseMs: 20, capMs: 100, stableMs: 60_000 }, graceMs: 1000, deliveryMs: 500, ...options.times },
  });
  t.teardown(async () => {
    for (const call of puppets.calls) call.fail(new Error('the test is over'));
    await agent.stop();
  });
  return { agent, puppets, lines };
}
