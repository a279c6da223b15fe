import type { CommandAnswers, CommandType } from '../../protocol/commands/index.ts';
import { isParsableJson } from '../../protocol/json.ts';
import { maxPacketBytes } from '../../protocol/limits.ts';
import { maxResources } from '../../protocol/messages.ts';
import type { Release } from '../../protocol/release.ts';
import { CommandError } from './errors.ts';

/** The fields that a large release is sent without, in the order in which they are left out. */
const optionalFields = ['hooks', 'config', 'manifest'] as const;

/** Bytes for the packet around the release. */
const packetMargin = 4096;

/** In UTF-16 units: more than a person reads, and with all escapes far less than a packet holds. */
const maxMessageLength = 64 * 1024;

/** UTF-16 units of all reasons in one status packet. */
const maxReasonsLength = 512 * 1024;

/**
 * Returns the fields of a result so that they fit in a packet: a release's chart keeps only its
 * metadata, and a release that is still too large loses the fields that `omitted` names. Throws
 * `CommandError` `too_large` if another answer does not fit.
 */
export function shortenAnswer(given: object): object {
  const answer = given as CommandAnswers[CommandType]; // the fields that any command has
  if (!('release' in answer) || answer.release === undefined) {
    if (fitsPacket(answer)) return answer;
    const short = 'digest' in answer ? withoutNewFields(answer) : answer;
    if (short !== answer && fitsPacket(short)) return short;
    throw new CommandError('too_large', 'the answer does not fit in a packet; ask for one namespace');
  }
  const shortened = { ...answer, release: withMetadataOnly(answer.release) };
  const { release } = shortened;
  const omitted = [];
  if ('differences' in shortened && !fitsPacket(shortened)) {
    shortened.differences = undefined;
    omitted.push('differences');
  }
  if ('values' in shortened && !fitsPacket(shortened)) {
    shortened.values = undefined;
    omitted.push('values');
  }
  for (const field of optionalFields) {
    if (fitsPacket(shortened)) break;
    release[field] = undefined;
    omitted.push(field);
  }
  return { ...shortened, ...(omitted.length > 0 && { omitted }) };
}

type Plan = CommandAnswers['plan_release'];

/**
 * Leaves out the fields of objects and CRDs that would be created, which are those of the manifest,
 * and those of hooks if there is no room for them either.
 */
function withoutNewFields(answer: Plan): Plan {
  const { differences, crdDifferences, hookDifferences } = answer;
  const short = {
    ...answer,
    differences: withoutAddedFields(differences),
    ...(crdDifferences && { crdDifferences: withoutAddedFields(crdDifferences) }),
    omitted: ['fields of new objects'],
  };
  if (hookDifferences === undefined || fitsPacket(short)) return short;
  const omitted = [...short.omitted, 'fields of new hooks'];
  return { ...short, hookDifferences: withoutAddedFields(hookDifferences), omitted };
}

function withoutAddedFields(differences: Plan['differences']): Plan['differences'] {
  return differences.map(({ fields, ...rest }) => (rest.change === 'added' ? rest : { ...rest, fields }));
}

function withMetadataOnly(release: Release): Release {
  const { chart } = release;
  return { ...release, ...(chart && { chart: { metadata: chart.metadata } }) };
}

/**
 * Leaves out the middle of a long message: a template can make one of megabytes, with the error at
 * either end.
 */
export function shortenMessage(message: string): string {
  const left = message.length - maxMessageLength;
  if (left <= 0) return message;
  const half = maxMessageLength / 2;
  return `${message.slice(0, half)} … (${left} characters are left out) … ${message.slice(-half)}`.toWellFormed();
}

/** The payload is JSON text inside JSON text, where each quote takes one more byte. */
function fitsPacket(value: unknown): boolean {
  const most = maxPacketBytes - packetMargin;
  // to encode megabytes in vain would hold up the event loop
  if (lengthOfTexts(value, most) > most) return false;
  const text = JSON.stringify(value);
  return Buffer.byteLength(JSON.stringify(text)) <= most && isParsableJson(text, 2);
}

/** Returns the length of all texts in a value. Stops when it is above `most`. */
function lengthOfTexts(value: unknown, most: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let length = 0;
  for (const child of Object.values(value)) {
    length += lengthOfTexts(child, most - length);
    if (length > most) break;
  }
  return length;
}

/**
 * Splits the resources of a step's progress so that each part fits in a packet. Long reasons lose
 * their middle.
 */
export function splitResources<Resource extends { reason?: string }>(
  resources: readonly Resource[] | undefined,
): (Resource[] | undefined)[] {
  if (resources === undefined || resources.length === 0) return [resources && []];
  const parts: Resource[][] = [];
  let length = Infinity;
  for (const resource of resources) {
    const { reason } = resource;
    const shortened = reason === undefined ? resource : { ...resource, reason: shortenMessage(reason) };
    length += shortened.reason?.length ?? 0;
    if (length > maxReasonsLength || (parts.at(-1)?.length ?? 0) >= maxResources) {
      parts.push([]);
      length = shortened.reason?.length ?? 0;
    }
    parts.at(-1)?.push(shortened);
  }
  return parts;
}
