import type { CommandAnswers, CommandType } from '../../protocol/commands/index.ts';
import { maxPacketBytes } from '../../protocol/limits.ts';
import type { Release } from '../../protocol/release.ts';

/** The fields that a large release is sent without, in the order in which they are left out. */
const optionalFields = ['hooks', 'config', 'manifest'] as const;

/** Bytes for the packet around the release. */
const packetMargin = 4096;

/** In UTF-16 units: more than a person reads, and with all escapes far less than a packet holds. */
const maxMessageLength = 64 * 1024;

/**
 * Returns the fields of a result so that they fit in a packet: a release's chart keeps only its
 * metadata, and a release that is still too large loses the fields that `omitted` names.
 */
export function shortenAnswer(answer: CommandAnswers[CommandType]): CommandAnswers[CommandType] {
  if (!('release' in answer)) return answer;
  const shortened = { ...answer, release: withMetadataOnly(answer.release) };
  const { release } = shortened;
  const isTooLarge = () => bytesOf(shortened) > maxPacketBytes - packetMargin;
  const omitted = [];
  if ('values' in shortened && isTooLarge()) {
    shortened.values = undefined;
    omitted.push('values');
  }
  for (const field of optionalFields) {
    if (!isTooLarge()) break;
    release[field] = undefined;
    omitted.push(field);
  }
  return { ...shortened, ...(omitted.length > 0 && { omitted }) };
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
function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(value)));
}
