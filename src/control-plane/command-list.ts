import { createHash } from 'node:crypto';
import * as z from 'zod';
import { sleep } from '../async/index.ts';
import { objectName } from '../protocol/bounded.ts';
import { commands, isCommandType } from '../protocol/commands/index.ts';
import { maxSentByLength, maxTypeLength } from '../protocol/limits.ts';
import { ControlPlaneError } from './error.ts';
import { isOfRollout } from './rollouts/rollout.ts';
import { commandOutcomes, type CommandRecord } from './store/command-store.ts';

/** The query of a list of commands. */
export const commandQuerySchema = z.strictObject({
  agent: objectName.optional(),
  type: z.string().max(maxTypeLength).optional(),
  reads: z
    .enum(['true', 'false'])
    .optional()
    .describe('Whether commands that only read, and cancellations, are listed. Default: true'),
  rollouts: z.enum(['true', 'false']).optional().describe('Whether commands of rollouts are listed. Default: true'),
  ended: z.enum(['true', 'false']).optional().describe('Whether commands that have ended are listed. Default: true'),
  namespace: objectName.optional(),
  release: objectName.optional(),
  sender: z.string().max(maxSentByLength).optional(),
  state: z.enum(['waiting', 'sent', 'accepted', 'done']).optional(),
  outcome: z.enum(commandOutcomes).optional().describe('How it has ended'),
  since: z.iso.datetime({ offset: true }).max(40).optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  cursor: z.string().max(64).optional().describe('The `next` of the page before'),
});
export type CommandQuery = z.output<typeof commandQuerySchema>;

/** A command in lists. */
export const listedCommandSchema = z.object({
  key: z.string(),
  agentId: z.string(),
  type: z.string(),
  state: z.enum(['waiting', 'sent', 'accepted', 'done']),
  outcome: z.enum(commandOutcomes).optional().describe('How it has ended, if it has and that is known'),
  sentBy: z.string().optional().describe('Who has sent the command'),
  namespace: z.string().optional().describe('The namespace that it names'),
  releaseName: z.string().optional().describe('The release that it names'),
  createdAt: z.iso.datetime().optional().describe('When it arrived'),
});

/** A page of a list of commands. */
export const commandPageSchema = z.object({
  commands: z.array(listedCommandSchema),
  next: z.string().optional().describe('The `cursor` of the next page, if there is one'),
});

interface CommandPage {
  commands: object[];
  next?: string;
}

/** Number of commands that one request looks at, so that it does not hold up others. */
const maxExamined = 10_000;

/**
 * Returns a page of those commands that fit a query and that `isSeen` allows, the newest first.
 * `all` has all commands, the newest first. A page can be shorter than its limit, or empty, and
 * have a next one. Throws `ControlPlaneError` `bad_request`.
 */
export function commandPage(
  all: readonly CommandRecord[],
  { limit, cursor, ended, ...query }: CommandQuery,
  isSeen: (record: CommandRecord) => boolean,
): CommandPage {
  // the few that have not ended may be older than all those that are looked at
  const records = ended === 'false' ? all.filter(({ state }) => state !== 'done') : all;
  const start = cursor === undefined ? 0 : startAfter(records, cursor);
  const found: object[] = [];
  let index = start;
  for (; index < Math.min(records.length, start + maxExamined) && found.length < limit; index++) {
    const record = records[index];
    if (record && fits(record, query) && isSeen(record)) found.push(listedCommand(record));
  }
  const last = records[index - 1];
  return { commands: found, ...(last && index < records.length && { next: cursorOf(last) }) };
}

export interface PageEventsOptions {
  /** Returns the page as it is now. */
  page: () => CommandPage;
  /** Returns another number when a command has changed. */
  version: () => number;
  signal: AbortSignal;
  /** Time between two looks, in milliseconds. Default: 500. */
  intervalMs?: number;
}

/** Returns a page of commands, and again each time it is another one, until the signal aborts. */
export async function* commandPageEvents({ page, version, signal, intervalMs = 500 }: PageEventsOptions) {
  let seen: number | undefined;
  let sent = '';
  while (!signal.aborted) {
    const now = version();
    if (now !== seen) {
      seen = now;
      const payload = page();
      const text = JSON.stringify(payload);
      if (text !== sent) yield { id: now, type: 'commands', payload };
      sent = text;
    }
    await sleep(intervalMs, signal).catch(() => undefined);
  }
}

function fits(record: CommandRecord, query: Omit<CommandQuery, 'limit' | 'cursor' | 'ended'>): boolean {
  const { agent, type, reads, rollouts, namespace, release, sender, state, outcome, since } = query;
  return (
    (agent === undefined || record.agentId === agent) &&
    (type === undefined || record.type === type) &&
    (reads !== 'false' || !changesNothing(record)) &&
    (rollouts !== 'false' || !isOfRollout(record)) &&
    (namespace === undefined || record.namespace === namespace) &&
    (release === undefined || record.releaseName === release) &&
    (sender === undefined || record.sentBy === sender) &&
    (state === undefined || record.state === state) &&
    (outcome === undefined || record.end?.outcome === outcome) &&
    (since === undefined || (record.createdAt ?? 0) >= Date.parse(since))
  );
}

/** Whether a command only reads, or is about another command. */
function changesNothing({ type }: CommandRecord): boolean {
  return type === 'cancel_command' || (isCommandType(type) && commands[type].right === 'read');
}

/** Returns the fields of a command in lists. */
export function listedCommand(record: CommandRecord) {
  const { key, agentId, type, state, end, sentBy, namespace, releaseName, createdAt } = record;
  const time = createdAt === undefined ? undefined : new Date(createdAt).toISOString();
  return { key, agentId, type, state, outcome: end?.outcome, sentBy, namespace, releaseName, createdAt: time };
}

/** The key is hashed, because the user may not see the command. */
function cursorOf({ key, createdAt = 0 }: CommandRecord): string {
  return `${createdAt}-${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`;
}

/**
 * Returns the place after the command of a cursor. If that was forgotten, it is the place of the
 * first command of its time, so that none is left out.
 */
function startAfter(records: readonly CommandRecord[], cursor: string): number {
  const [, text] = /^(\d{1,15})-[\w-]{22}$/.exec(cursor) ?? [];
  if (text === undefined) throw new ControlPlaneError('bad_request', 'cursor must be the next of a page');
  const time = Number(text);
  const found = records.findIndex((record) => (record.createdAt ?? 0) === time && cursorOf(record) === cursor);
  if (found >= 0) return found + 1;
  const older = records.findIndex(({ createdAt = 0 }) => createdAt <= time);
  return older < 0 ? records.length : older;
}
