import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { isMissing, messageOf } from '../../errors/index.ts';
import type { AuditFields } from '../audit/audit-entry.ts';
import { ControlPlaneError } from '../error.ts';
import { freeBytesOf } from '../free-bytes.ts';
import type { ControlPlaneLimits } from '../limits.ts';
import type { Logger } from '../logger.ts';
import { Sweeps } from '../sweeps.ts';
import { EventWriter, headerLine, headerSchema, type RecordedSession } from './asciicast.ts';
import { createRecordingFile, firstLine, type RecordingFile, repairFile } from './recording-file.ts';

export interface RecordingsOptions {
  /** Only this user can read it. Undefined: nothing can be recorded. */
  folder: string | undefined;
  limits: Pick<
    ControlPlaneLimits,
    'recordings' | 'recordingBytes' | 'allRecordingBytes' | 'recordingMs' | 'reservedBytes'
  >;
  log: Logger;
  now: () => Date;
  /** Returns a time in milliseconds that never goes back. */
  monotonic: () => number;
  /** Adds an entry to the audit log. */
  audit: (fields: AuditFields) => void;
  /** Returns the bytes that are free on the volume of a folder. Default: as the system says. */
  freeBytes?: (folder: string) => Promise<number>;
}

/** A recording in the folder. */
export interface Recording extends RecordedSession {
  /** Time in milliseconds. */
  readonly startedAt: number;
  readonly bytes: number;
  /** Whether the session has ended. */
  readonly isEnded: boolean;
}

/** The recording of a session that runs. */
export interface SessionRecorder {
  /**
   * Resolves when the output is recorded. Rejects with `ControlPlaneError` `recording_failed`, also
   * after an earlier failure. To be called again when it has resolved.
   */
  output(channel: 1 | 2, bytes: Buffer): Promise<void>;
  /** Notes the size of the terminal for the output that follows. */
  resize(size: { columns: number; rows: number }): void;
  /** Notes something that is not output, before the output that follows. */
  mark(label: string): void;
  /** Ends the recording, and notes its digest in the audit log. Never rejects. */
  close(): Promise<void>;
}

/** Most notes between two outputs; further ones are left out. */
const maxNotes = 100;

/** Most recordings that are deleted together before another one begins. */
const maxDeleted = 100;

/** The end of the name of a file that is being written. */
const unfinished = '.part';
const finished = '.cast';

/** The recordings of sessions, as files of asciicast v2 in a folder. Only old ones are deleted. */
export class Recordings {
  readonly #options: RecordingsOptions;
  /** By the key of the command. */
  readonly #recordings = new Map<string, Recording>();
  readonly #active = new Set<SessionRecorder>();
  readonly #sweeps: Sweeps;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    this.#sweeps = new Sweeps({
      ...{ what: 'old recordings', log: options.log },
      forget: (max) => this.#deleteOld(max),
    });
  }

  /**
   * Finds what was recorded before, and finishes what was cut off by the end of the process.
   * Rejects with `ControlPlaneError` `store_unavailable`.
   */
  async open(): Promise<void> {
    const { folder } = this.#options;
    if (folder === undefined) return;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      for (const name of (await readdir(folder)).sort()) await this.#load(folder, name);
    } catch (error) {
      const reason = messageOf(error);
      throw new ControlPlaneError('store_unavailable', `cannot use the folder ${folder} for recordings: ${reason}`);
    }
    this.#sweeps.open();
  }

  /** Returns the recordings, the newest first. */
  list(): Recording[] {
    return [...this.#recordings.values()].sort((a, b) => b.startedAt - a.startedAt);
  }

  find(key: string): Recording | undefined {
    return this.#recordings.get(key);
  }

  /** Returns what is recorded so far. */
  read({ key, bytes, isEnded }: Recording): Readable {
    const path = this.#path(key, isEnded ? finished : unfinished);
    return createReadStream(path, { start: 0, end: Math.max(0, bytes - 1) });
  }

  /** Begins a recording. Rejects with `ControlPlaneError` `recording_failed`. */
  async start(session: RecordedSession, size?: { columns: number; rows: number }): Promise<SessionRecorder> {
    const { limits, now, monotonic } = this.#options;
    const { key } = session;
    await this.#makeRoom();
    // the command that had the key before can be forgotten, unlike its recording
    if (this.#recordings.has(key) || (await exists(this.#path(key, finished)))) {
      throw notRecorded(`there is a recording with the key ${key}; use another key`);
    }
    const startedAt = now().getTime();
    const path = this.#path(key, unfinished);
    const file = await createRecordingFile(path).catch((error: unknown) => {
      throw notRecorded(messageOf(error));
    });
    const note = (isEnded: boolean) => this.#recordings.set(key, { ...session, startedAt, bytes: file.bytes, isEnded });
    const append = async (lines: string) => {
      if (file.bytes + Buffer.byteLength(lines) > limits.recordingBytes) {
        throw notRecorded(`a recording has at most ${limits.recordingBytes} bytes`);
      }
      await file.append(lines).catch((error: unknown) => {
        throw notRecorded(messageOf(error));
      });
      note(false);
    };
    try {
      await append(headerLine(session, startedAt, size));
    } catch (error) {
      await file.close();
      await rm(path, { force: true });
      this.#recordings.delete(key);
      throw error;
    }
    const finish = async (failure: ControlPlaneError | undefined) => {
      await this.#finish(file, session, failure);
      note(true);
    };
    const recorder = recorderOf(new EventWriter(monotonic), append, finish);
    this.#active.add(recorder);
    return { ...recorder, close: () => recorder.close().finally(() => this.#active.delete(recorder)) };
  }

  /** Ends all recordings. Nothing is deleted afterwards. */
  async close(): Promise<void> {
    await Promise.all([this.#sweeps.close(), ...[...this.#active].map((recorder) => recorder.close())]);
  }

  async #finish(file: RecordingFile, session: RecordedSession, failure: ControlPlaneError | undefined): Promise<void> {
    try {
      const digest = await file.finish();
      await file.close();
      await rename(this.#path(session.key, unfinished), this.#path(session.key, finished));
      this.#audit(session, failure?.code ?? 'ok', digest);
    } catch {
      // the next start finishes it
      this.#audit(session, 'recording_failed', undefined);
    }
  }

  #audit(
    { key, agentId, type, user, namespace, releaseName }: RecordedSession,
    outcome: string,
    digest?: string,
  ): void {
    this.#options.audit({
      ...{ action: 'session recorded', decision: 'allowed', outcome, recording: digest },
      ...{ key, agentId, type, user, namespace, releaseName },
    });
  }

  /** Reads the header of a file. One that is not a recording stays as it is. */
  async #load(folder: string, name: string): Promise<void> {
    const path = join(folder, name);
    const isCut = name.endsWith(unfinished);
    if (!isCut && !name.endsWith(finished)) return;
    const header = headerOf(await firstLine(path));
    if (!header || fileName(header.session.key, isCut ? unfinished : finished) !== name) return;
    const { session, timestamp } = header;
    const known = { ...session, startedAt: timestamp * 1000, isEnded: true };
    if (isCut) {
      const { bytes, digest } = await repairFile(path);
      await rename(path, this.#path(session.key, finished));
      this.#audit(session, 'stream_lost', digest);
      this.#recordings.set(session.key, { ...known, bytes });
    } else {
      this.#recordings.set(session.key, { ...known, bytes: (await stat(path)).size });
    }
  }

  /** Deletes what is too old. Rejects if there is no room for another recording. */
  async #makeRoom(): Promise<void> {
    const { folder, limits, freeBytes = freeBytesOf } = this.#options;
    if (folder === undefined) throw notRecorded('the control plane has no folder for recordings');
    while (await this.#deleteOld(maxDeleted).catch(() => false)); // one that cannot be deleted counts
    const advice = 'delete old ones from the folder, or give it more room';
    const bytes = [...this.#recordings.values()].reduce((sum, recording) => sum + recording.bytes, 0);
    if (this.#recordings.size >= limits.recordings || bytes >= limits.allRecordingBytes) {
      throw notRecorded(`there are ${this.#recordings.size} recordings with ${bytes} bytes; ${advice}`);
    }
    const free = await freeBytes(folder).catch((error: unknown) => {
      throw notRecorded(messageOf(error));
    });
    if (free < limits.reservedBytes) {
      throw notRecorded(`the volume has ${free} free bytes, and ${limits.reservedBytes} have to stay free; ${advice}`);
    }
  }

  /** Deletes what is too old, at most `max` recordings. Returns whether there may be more. */
  async #deleteOld(max: number): Promise<boolean> {
    const { limits, now } = this.#options;
    const oldest = now().getTime() - limits.recordingMs;
    const old: Recording[] = [];
    for (const recording of this.#recordings.values()) {
      if (recording.isEnded && recording.startedAt < oldest) old.push(recording);
      if (old.length === max) break;
    }
    const deletions = old.map((recording) => this.#delete(recording));
    await Promise.allSettled(deletions);
    await Promise.all(deletions); // rejects if one could not be deleted
    return old.length === max;
  }

  async #delete(recording: Recording): Promise<void> {
    const { key } = recording;
    this.#recordings.delete(key);
    try {
      await rm(this.#path(key, finished), { force: true });
    } catch (error) {
      this.#recordings.set(key, recording); // after the others, which are tried first the next time
      throw error;
    }
  }

  #path(key: string, end: string): string {
    return join(this.#options.folder ?? '', fileName(key, end));
  }
}

function recorderOf(
  events: EventWriter,
  append: (lines: string) => Promise<void>,
  finish: (failure: ControlPlaneError | undefined) => Promise<void>,
): SessionRecorder {
  let failure: ControlPlaneError | undefined;
  let closing: Promise<void> | undefined;
  let last = Promise.resolve();
  let size: { columns: number; rows: number } | undefined;
  let marks: string[] = [];
  const takeNotes = () => {
    const lines = [...marks, ...(size ? [events.resize(size)] : [])];
    marks = [];
    size = undefined;
    return lines.join('');
  };
  const attempt = async (lines: string) => {
    try {
      await append(lines);
    } catch (error) {
      failure = error instanceof ControlPlaneError ? error : notRecorded(messageOf(error));
      throw failure;
    }
  };
  const write = async (lines: string) => {
    if (closing) failure ??= notRecorded('the recording has ended');
    if (failure) throw failure;
    last = attempt(takeNotes() + lines);
    await last;
  };
  const close = async () => {
    await last.catch(() => undefined); // its caller has the error
    // without it, the file is valid up to here
    if (!failure) await attempt(takeNotes() + events.end()).catch(() => undefined);
    await finish(failure);
  };
  return {
    output: (channel, bytes) => write(events.output(channel, bytes)),
    resize(to) {
      size = to;
    },
    mark(label) {
      if (marks.length < maxNotes) marks.push(events.marker(label));
    },
    close: () => (closing ??= close()),
  };
}

function fileName(key: string, end: string): string {
  return `${createHash('sha256').update(key).digest('hex')}${end}`;
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    (error: unknown) => !isMissing(error),
  );
}

function headerOf(line: string | undefined) {
  try {
    return headerSchema.parse(JSON.parse(line ?? ''));
  } catch {
    return undefined;
  }
}

function notRecorded(reason: string): ControlPlaneError {
  return new ControlPlaneError('recording_failed', `the session cannot be recorded: ${reason}`);
}
