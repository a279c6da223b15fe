import type { Drift } from '../../../protocol/drift.ts';
import { oneLine } from '../../text.ts';

const signs = { changed: '~', deleted: '-', unknown: '?', none: '=' };

const texts = {
  changed: 'was changed',
  deleted: 'was deleted',
  unknown: 'could not be compared',
  none: 'is as before',
};

/** Returns a line for each object that differs, one for each of its fields, and the counts. */
export function driftText({ drift, unchanged }: { drift: readonly Drift[]; unchanged: number }): string {
  const counts = drift.length === 0 ? 'no drift' : `${drift.length} of ${drift.length + unchanged} objects differ`;
  return `${[...drift.flatMap(driftLines), counts].join('\n')}\n`;
}

/** Returns a line for an object that differs, and one for each of its fields. */
export function driftLines({ change, kind, namespace, name, ...rest }: Drift): string[] {
  const { fields = [], omitted, corrected = false, reason } = rest;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const end = corrected ? ', and was put back' : reason === undefined ? '' : `: ${reason}`;
  const lines = fields.map(({ path, wanted, found, manager, time }) => {
    const by = manager === undefined ? '' : `, by ${manager}`;
    const at = time === undefined ? '' : ` at ${time}`;
    return `    ${oneLine(`${path}: ${valueText(wanted)} -> ${valueText(found)}${by}${at}`)}`;
  });
  return [
    oneLine(`${signs[change]} ${kind} ${place} ${texts[change]}${end}`),
    ...lines,
    ...(omitted === undefined ? [] : [`    and ${omitted} more fields`]),
  ];
}

function valueText(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
