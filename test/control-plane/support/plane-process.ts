import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readServerSentEvents, type ServerSentEvent } from '../../../src/cli/ctl/server-sent-events.ts';
import { startCuttableProxy } from '../../bin/support/cuttable-proxy.ts';
import { childModule } from '../../support/program.ts';
import { quickStart } from '../../support/quick-start.ts';
import type { Delivery, Listening, Moment } from './moments.ts';

const program = childModule('mortal-plane');

/** Pause after a request that has failed because the control plane has ended. */
const retryMs = 20;

/** A control plane as a process of its own that can be killed. Its port stays the same. */
export interface PlaneProcess {
  port: number;
  /** The file of the store. */
  file: string;
  /** Starts the next process, when the one before has ended. */
  start(): Promise<void>;
  /** Lets the process kill itself at a moment in the life of a command. */
  arm(key: string, moment: Moment): void;
  kill(): void;
  /** Resolves when the process has ended by SIGKILL. */
  killed(): Promise<void>;
  /** Sends a command. Repeats the request until a process has responded that it is stored. */
  send(key: string, type: string, payload: object): Promise<void>;
  /** Returns the ids of the agents that are connected. */
  agents(): Promise<string[]>;
  /** Returns all events of a command, which several processes may have sent. */
  events(key: string): Promise<ServerSentEvent[]>;
  /** Returns what the application has got so far. */
  deliveries(): Promise<Delivery[]>;
  close(): void;
}

export async function planeProcess(folder: string): Promise<PlaneProcess> {
  const [file, deliveries] = [join(folder, 'plane.db'), join(folder, 'deliveries')];
  let child: ChildProcess | undefined;
  let target: number | undefined;
  const gate = await startCuttableProxy(() => target);
  const url = `http://127.0.0.1:${gate.port}/api`;
  const plane: PlaneProcess = {
    port: gate.port,
    file,
    async start() {
      child = spawn(process.execPath, [program, file, deliveries], {
        env: quickStart(),
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      child.once('exit', () => (target = undefined));
      const [{ port }] = (await once(child, 'message')) as [Listening];
      target = port;
    },
    arm: (key, moment) => child?.send({ key, moment }),
    kill: () => child?.kill('SIGKILL'),
    async killed() {
      if (!child) throw new Error('the control plane was not started');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      if (child.signalCode !== 'SIGKILL') throw new Error(`the control plane ended with code ${child.exitCode}`);
    },
    async send(key, type, payload) {
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key, type, payload }),
      };
      await untilServed(async () => {
        const response = await fetch(`${url}/agents/edge-1/commands`, init);
        if (response.status !== 202) throw new Refusal(`${response.status}: ${await response.text()}`);
        await response.text();
      });
    },
    agents: () =>
      untilServed(async () => {
        const { agents } = (await (await fetch(`${url}/agents`)).json()) as { agents: { agentId: string }[] };
        return agents.map(({ agentId }) => agentId);
      }),
    async events(key) {
      const events: ServerSentEvent[] = [];
      await untilServed(async () => {
        const headers = { 'last-event-id': events.at(-1)?.id ?? '0' };
        const response = await fetch(`${url}/commands/${key}/events`, { headers });
        if (!response.ok || !response.body) throw new Refusal(`${response.status}: ${await response.text()}`);
        for await (const event of readServerSentEvents(response.body)) events.push(event);
        if (events.at(-1)?.event !== 'result') throw new Error('the stream was cut');
      });
      return events;
    },
    async deliveries() {
      const text = await readFile(deliveries, 'utf8').catch(() => '');
      return text.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as Delivery)));
    },
    close() {
      child?.kill('SIGKILL');
      gate.close();
    },
  };
  return plane;
}

/** A response that another attempt would not change. */
class Refusal extends Error {}

async function untilServed<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      await sleep(retryMs);
    }
  }
}
