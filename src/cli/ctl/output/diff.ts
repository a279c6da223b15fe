import type { CommandAnswers } from '../../../protocol/commands/index.ts';
import { oneLine } from '../../text.ts';

type Answer = CommandAnswers['diff_release'];
type Difference = Answer['differences'][number];

const signs = { added: '+', changed: '~', recreated: '!', removed: '-', unknown: '?' };

/** Returns a line for each object that differs, and one for each of its fields. */
export function diffText({ differences, unchanged }: Answer): string {
  const counts = differences.length === 0 ? 'no differences' : `${differences.length} differ`;
  return `${[...differences.flatMap(linesOf), `${counts}, ${unchanged} unchanged`].join('\n')}\n`;
}

/** Returns the lines of an object that differs. */
export function differenceText(difference: Difference): string {
  return linesOf(difference)
    .map((line) => `${line}\n`)
    .join('');
}

function linesOf({ change, apiVersion, kind, namespace, name, fields = [], reason }: Difference): string[] {
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  const head = `${signs[change]} ${apiVersion} ${kind} ${place}${reason === undefined ? '' : `: ${reason}`}`;
  const changes = fields.map(({ path, before, after }) => `${path}: ${textOf(before)} -> ${textOf(after)}`);
  return [oneLine(head), ...changes.map((line) => `    ${oneLine(line)}`)];
}

function textOf(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
