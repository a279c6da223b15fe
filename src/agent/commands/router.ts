import { setTimeout as sleep } from 'node:timers/promises';
import type { Journal } from '../../journal/journal.ts';
import { agentMessageSchemas, controlPlaneMessageSchemas, type Result } from '../../protocol/messages.ts';
import { decodePacket, PacketError, type Packet } from '../../protocol/packet.ts';
import type { WireForm } from '../../protocol/subprotocol.ts';
import { briefAnswer, briefMessage } from './brief.ts';
import { readCommand, type Command } from './command.ts';
import { CommandError } from './errors.ts';
import { failureOf } from './failure.ts';
import type { CommandHandlers } from './handler.ts';
import type { Logger } from '../logger.ts';
import { createReleaseQueues } from './release-queues.ts';
import { RunningCommand, type Peer } from './running-command.ts';

export interface RouterLimits {
  /** How many operations run at a time. */
  concurrency: number;
  /** How many operations run or wait. */
  maxOperations: number;
  /** How many reading commands run; they never wait. */
  maxReads: number;
}

export const defaultRouterLimits: RouterLimits = { concurrency: 8, maxOperations: 1000, maxReads: 64 };

export interface RouterOptions {
  handlers: CommandHandlers;
  journal: Journal;
  log: Logger;
  limits?: RouterLimits;
}

/** A peer, and how it speaks. */
export interface SpeakingPeer extends Peer {
  readonly form: WireForm;
}

/** Takes frames, performs the commands in them, and answers each to whoever sent it. */
export interface Router {
  /** Never throws: whatever is wrong with a frame is answered. */
  receive(frame: Buffer, isBinary: boolean, peer: SpeakingPeer): void;
  /** Refuses new commands, cancels those that run, and waits until all have answered, at most for the grace. */
  close(graceMs: number): Promise<void>;
}

interface Job {
  command: Command;
  running: RunningCommand;
  /** Under which it is journaled; undefined where it is not. */
  key: string | undefined;
  form: WireForm;
}

const notices = new Set([...Object.keys(agentMessageSchemas), ...Object.keys(controlPlaneMessageSchemas)]);

export function createRouter({ handlers, journal, log, limits = defaultRouterLimits }: RouterOptions): Router {
  const queues = createReleaseQueues(limits.concurrency);
  const operations = new Map<RunningCommand, Promise<void>>();
  const reads = new Map<RunningCommand, Promise<void>>();
  const byKey = new Map<string, RunningCommand>();
  let closing = false;

  function refuse(peer: Peer, heading: { key?: string | undefined; type?: string | undefined }, error: unknown): void {
    const { message, ...rest } = failureOf(error);
    const failure = { ...rest, message: briefMessage(message) };
    log.warn({ key: heading.key, type: heading.type, code: failure.code, reason: failure.message }, 'refused a packet');
    const result: Result = { ok: false, error: failure };
    peer.reply({ kind: 'result', key: heading.key, type: heading.type, payload: JSON.stringify(result) });
  }

  function admit(command: Command, peer: SpeakingPeer): void {
    if (closing) throw new CommandError('shutting_down', 'the agent is stopping; send the command again later');
    const key = peer.form === 'v1' ? command.key : undefined;
    const known = key === undefined ? undefined : byKey.get(key);
    if (known) {
      requireSame(command, known.fingerprint);
      known.attach(peer);
      known.accepted({ durable: journal.durable, repeated: true }, peer);
      return;
    }
    const [group, most] = command.changes === undefined ? [reads, limits.maxReads] : [operations, limits.maxOperations];
    if (group.size >= most) throw new CommandError('busy', `${most} commands are under way; try again later`);
    const job = { command, running: new RunningCommand(command, peer), key, form: peer.form };
    if (key !== undefined) byKey.set(key, job.running);
    const ended = run(job).finally(() => {
      if (key !== undefined) byKey.delete(key);
      group.delete(job.running);
    });
    group.set(job.running, ended);
  }

  /** Never rejects. */
  async function run(job: Job): Promise<void> {
    const { command, running } = job;
    try {
      running.end(await outcomeOf(job));
    } catch (error) {
      logFailure(command, error);
      running.end(running.seal({ ok: false, error: failureOf(error) }));
    }
  }

  async function outcomeOf(job: Job): Promise<string> {
    const { command, running, key } = job;
    if (key === undefined) {
      running.accepted({ durable: false });
      return running.seal(await perform(job));
    }
    const known = await journal.accept(key, command.fingerprint);
    if (known) {
      requireSame(command, known.fingerprint);
      if (known.outcome === undefined) throw new Error('journal: the command runs elsewhere');
      running.accepted({ durable: journal.durable, repeated: true });
      return known.outcome;
    }
    running.accepted({ durable: journal.durable });
    const outcome = running.seal(await perform(job));
    await journal.finish(key, outcome);
    return outcome;
  }

  async function perform({ command, running, form }: Job): Promise<Result> {
    const commandLog = log.child({ key: command.key, type: command.type, release: command.changes });
    const { signal } = running.cancellation;
    const start = () =>
      command.perform({
        signal,
        abandon: running.abandonment.signal,
        log: commandLog,
        progress: (progress) => running.progress(progress),
      });
    commandLog.info({}, 'command accepted');
    try {
      const { changes } = command;
      const answer = await (changes === undefined ? start() : queues.run(changes, signal, start));
      commandLog.info({}, 'command succeeded');
      return { ok: true, ...(form === 'v1' ? briefAnswer(answer) : answer) };
    } catch (error) {
      logFailure(command, error);
      return { ok: false, error: failureOf(error) };
    }
  }

  function logFailure(command: Command, error: unknown): void {
    const { code, message } = failureOf(error);
    const fields = { key: command.key, type: command.type, release: command.changes, code };
    if (code !== 'internal') log.warn({ ...fields, reason: briefMessage(command.mask(message)) }, 'command failed');
    else log.error({ ...fields, stack: briefMessage(command.mask(stackOf(error))) }, 'command failed with a defect');
  }

  return {
    receive(frame, isBinary, peer) {
      let packet: Packet;
      try {
        if (isBinary) throw new PacketError('packet: a binary frame; packets are text frames');
        packet = decodePacket(frame.toString('utf8'));
      } catch (error) {
        refuse(peer, error instanceof PacketError ? error : {}, error);
        return;
      }
      // A notice is never answered: two ends that answer each other's would never stop.
      if (notices.has(packet.type)) {
        log.debug({ type: packet.type }, 'received a notice');
        return;
      }
      try {
        admit(readCommand(packet, frame.length, handlers), peer);
      } catch (error) {
        refuse(peer, packet, error);
      }
    },

    async close(graceMs) {
      closing = true;
      const all = new Map([...operations, ...reads]);
      const ended = Promise.all(all.values());
      for (const { cancellation } of all.keys())
        cancellation.abort(new CommandError('cancelled', 'the agent is stopping'));
      if (await isWithin(graceMs, ended)) return;
      log.warn({ graceMs }, 'operations have not ended within the grace; abandoning them');
      const abandoned = new CommandError(
        'cancelled',
        'the operation was abandoned half done, for the agent had to stop',
      );
      for (const { abandonment } of all.keys()) abandonment.abort(abandoned);
      await isWithin(ABANDON_MS, ended);
      for (const running of all.keys()) running.end(running.seal({ ok: false, error: failureOf(abandoned) }));
    },
  };
}

/** How long abandoned operations have to say so themselves. */
const ABANDON_MS = 1000;

async function isWithin(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(milliseconds, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([work.then(() => true), late]);
  timer.abort();
  return inTime;
}

function requireSame(command: Command, fingerprint: string): void {
  if (command.fingerprint === fingerprint) return;
  throw new CommandError('key_reused', `the key ${command.key ?? ''} already names another command; use a new one`);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
