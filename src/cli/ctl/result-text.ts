import * as z from 'zod';
import type { CommandAnswers } from '../../protocol/commands/index.ts';
import type { Failure, Result } from '../../protocol/messages.ts';
import { table } from '../table.ts';
import { oneLine, printable } from '../text.ts';
import { readAs } from './read-as.ts';

const releaseSchema = z.object({
  name: z.string(),
  namespace: z.string().default(''),
  version: z.number().default(0),
  info: z
    .object({
      status: z.string().default(''),
      description: z.string().default(''),
      notes: z.string().default(''),
    })
    .partial()
    .default({}),
});

/** The fields of a result that are printed. */
const printedSchema = z.object({
  release: z.unknown().optional(),
  info: z.string().optional(),
});

/** The result of a command that succeeded. */
export type Success = Extract<Result, { ok: true }>;

/** Returns the text for a command that succeeded. */
export function successText(result: Success): string {
  const { release, info: keptText } = readAs(printedSchema, result, 'result');
  if (release === undefined) return '';
  const { name, namespace, version, info } = readAs(releaseSchema, release, 'release');
  const rows = [
    ['NAME:', name],
    ['NAMESPACE:', namespace],
    ['REVISION:', String(version)],
    ['STATUS:', info.status ?? ''],
    ['DESCRIPTION:', info.description ?? ''],
  ].map(([label = '', value = '']) => [label, oneLine(value)]);
  const notes = info.notes && info.status !== 'uninstalled' ? `NOTES:\n${printable(info.notes.trim())}\n` : '';
  const kept = keptText ? `${printable(keptText.trim())}\n` : '';
  return `${table(rows).join('\n')}\n${kept}${notes}`;
}

/** Returns a line that says that nothing was done. Undefined if something was. */
export function deployNote({ release, unchanged }: CommandAnswers['apply_plan']): string | undefined {
  return unchanged === true ? `Nothing changes; revision ${release?.version ?? ''} stays.\n` : undefined;
}

/** Returns the text for a command that failed. */
export function failureText({ code, message, position }: Failure): string {
  const parts = position ? [position.file, position.line, position.column].filter((part) => part !== undefined) : [];
  const at = parts.length > 0 ? `\n  at ${oneLine(parts.join(':'))}` : '';
  return `Error: ${printable(message)} (${code})${at}\n`;
}
