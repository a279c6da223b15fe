import type { Duplex } from 'node:stream';
import { execControlSchema } from '../../protocol/commands/exec-pod.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { parseJson } from '../../protocol/json.ts';
import type { SessionFacts } from '../../protocol/streams/command-stream.ts';
import type { AuditFields } from '../audit/audit-entry.ts';
import { ControlPlaneError } from '../error.ts';
import type { TrackedCommand } from '../tracked-command.ts';
import type { RecordedSession } from './asciicast.ts';
import { LiveSession, type SessionNotice, type Watcher } from './live-session.ts';
import type { Recordings, SessionRecorder } from './recordings.ts';

/** The sessions to which a rule applies. */
export type SessionRule = 'off' | 'terminals' | 'all';

/** Time for a second person to join, in milliseconds. */
const joinMs = 600_000;

export interface SessionsOptions {
  table: CommandTable;
  recordings: Pick<Recordings, 'start'>;
  /** The sessions that are recorded. */
  record: SessionRule;
  /** The sessions that begin when a second person has joined, and end when no other one watches. */
  requireSecond: SessionRule;
  /** Adds an entry to the audit log. */
  audit: (fields: AuditFields) => void;
}

/** A session that someone has begun. */
export interface Attendance {
  /**
   * Records output, and shows it to those who watch. Rejects with `ControlPlaneError`
   * `recording_failed`. To be called again when it has resolved.
   */
  output(channel: 1 | 2, bytes: Buffer): Promise<void>;
  /** Is given the control messages of the first person. */
  control(message: Buffer): void;
  /** Ends the recording and the watching. Never rejects. */
  close(): Promise<void>;
}

/** A stream of a command that is about to be read. */
interface NewSession {
  command: TrackedCommand;
  /** Undefined: an earlier agent, which does not say. It counts as a terminal. */
  facts: SessionFacts | undefined;
  stream: Duplex;
  signal: AbortSignal;
  /** Default: no one is there to get notices. */
  notify?: (notice: SessionNotice) => void;
}

/** The sessions with programs: who has begun them, who watches, and what is recorded. */
export class Sessions {
  readonly #options: SessionsOptions;
  /** By the key of the command. */
  readonly #live = new Map<string, LiveSession>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /**
   * Begins a session before its stream is read: waits for a second person and starts the recording,
   * if the rules ask for them. Returns undefined if the command has no session. Destroys the stream
   * if it rejects, with `ControlPlaneError` `recording_failed` and `timeout`, or with the signal's
   * reason.
   */
  async begin({ command, facts, stream, signal, notify }: NewSession): Promise<Attendance | undefined> {
    const { table, recordings, record, requireSecond } = this.#options;
    if (table.find(command.type)?.definition.isSession !== true) return undefined;
    const session = sessionOf(command, facts);
    let recorder: SessionRecorder | undefined;
    const live = new LiveSession(session, stream, (notice) => {
      if (notice.user !== undefined) recorder?.mark(`${notice.user} has ${notice.state}`);
      notify?.(notice);
    });
    this.#live.set(command.key, live);
    try {
      if (applies(requireSecond, session)) await this.#second(live, stream, signal);
      recorder = applies(record, session) ? await recordings.start(session, facts?.size) : undefined;
      return this.#attendance(live, recorder);
    } catch (error) {
      this.#end(live);
      stream.destroy(error instanceof Error ? error : undefined);
      throw error;
    }
  }

  /**
   * Lets someone watch a session. Returns functions that end the watching, and the session. Throws
   * `ControlPlaneError` `stream_ended`.
   */
  join(key: string, watcher: Watcher): { leave: () => void; terminate: () => void } {
    const live = this.#live.get(key);
    if (!live) {
      throw new ControlPlaneError('stream_ended', `the session ${key} has ended, or its first person is not there yet`);
    }
    const { user } = watcher;
    this.#audit(live, { action: 'session joined', user });
    live.add(watcher);
    let isHere = true;
    return {
      leave: () => {
        if (!isHere) return;
        isHere = false;
        const others = live.delete(watcher);
        if (this.#live.get(key) !== live) return;
        this.#audit(live, { action: 'session left', user });
        if (others === 0 && applies(this.#options.requireSecond, live.facts)) {
          live.terminate(`${user} watches the session no more, and it needs a second person`);
        }
      },
      terminate: () => {
        this.#audit(live, { action: 'session ended', user });
        live.terminate(`${user} has ended the session`);
      },
    };
  }

  #attendance(live: LiveSession, recorder: SessionRecorder | undefined): Attendance {
    let isOver = false;
    return {
      async output(channel, bytes) {
        await recorder?.output(channel, bytes);
        live.send(channel, bytes);
      },
      control(message) {
        const size = recorder && sizeOf(message);
        if (size) recorder.resize(size);
      },
      close: async () => {
        if (isOver) return;
        isOver = true;
        this.#end(live);
        await recorder?.close();
      },
    };
  }

  async #second(live: LiveSession, stream: Duplex, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const lost = () => over.abort(new ControlPlaneError('stream_ended', 'the agent has ended the session'));
    const late = () => over.abort(new ControlPlaneError('timeout', 'no second person has joined the session in time'));
    stream.once('close', lost);
    const timer = setTimeout(late, joinMs);
    try {
      await live.watched(AbortSignal.any([signal, over.signal]));
    } finally {
      clearTimeout(timer);
      stream.off('close', lost);
    }
  }

  #end(live: LiveSession): void {
    const { key } = live.facts;
    if (this.#live.get(key) === live) this.#live.delete(key);
    live.close();
  }

  #audit({ facts }: LiveSession, { action, user }: { action: string; user: string }): void {
    const { key, agentId, type, namespace, releaseName } = facts;
    this.#options.audit({
      ...{ action, user, decision: 'allowed', outcome: 'ok' },
      ...{ key, agentId, type, namespace, releaseName },
    });
  }
}

function sessionOf({ record }: TrackedCommand, facts: SessionFacts | undefined): RecordedSession {
  const { key, agentId, type, sentBy: user = '', namespace, releaseName } = record;
  const { pod, container, command, reason, tty = true } = facts ?? {};
  return { key, agentId, type, user, namespace, releaseName, pod, container, command, reason, tty };
}

function applies(rule: SessionRule, { tty }: RecordedSession): boolean {
  return rule === 'all' || (rule === 'terminals' && tty);
}

/** Returns the size in a control message, if it has one. */
function sizeOf(message: Buffer): { columns: number; rows: number } | undefined {
  const control = execControlSchema.safeParse(parseJson(message.toString()));
  return control.success && control.data.type === 'resize' ? control.data : undefined;
}
