import type { FieldFlag, Fields } from '../../protocol/commands/field.ts';
import { failFastSchema } from '../../protocol/commands/wait-fields.ts';
import { timeoutSchema } from '../../protocol/duration.ts';
import { requireDuration } from '../ctl/duration-flag.ts';
import { dryRunOf, historyLimitOf, waitOf } from '../ctl/helm-values.ts';
import { dryRunMode } from '../helm/flags/dry-run-flag.ts';
import { waitStrategy } from '../helm/flags/wait-flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { type CommandLineOf, isIn } from './field-flags.ts';

/** Helm's time limit for a timeout of 0, in milliseconds (pkg/kube/statuswait.go). */
const timeoutForZero = 30_000;

/** The longest time limit of an operation, in milliseconds. */
const maxTimeout = 168 * 3_600_000;

/**
 * Returns the values that flags give to fields. `hasHelmDefaults`: fields without a flag have the
 * defaults of helm. Errors have Helm's texts if Helm has the flag.
 */
export function fieldValues(
  fields: Fields,
  line: CommandLineOf,
  flags: FlagValues,
  hasHelmDefaults: boolean,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, { flags: all }] of Object.entries(fields)) {
    const own = all.filter((flag) => isIn(flag, line));
    const given = own.map((flag) => valueOf(flag, line, flags)).filter((value) => value !== undefined);
    // the parts of a list add up
    const value = own.some(({ kind }) => kind === 'part') && given.length > 0 ? given.flat() : given.at(-1);
    const chosenValue = value ?? (hasHelmDefaults ? helmDefaultOf(all) : undefined);
    if (chosenValue !== undefined) values[name] = chosenValue;
  }
  return values;
}

function helmDefaultOf(flags: readonly FieldFlag[]): unknown {
  return flags.find(({ helmDefault }) => helmDefault !== undefined)?.helmDefault;
}

/** Returns the value that a flag gives, or undefined if it gives none. */
function valueOf(flag: FieldFlag, line: CommandLineOf, flags: FlagValues): unknown {
  const { name } = flag;
  const isGiven = flags.isGiven(name);
  switch (flag.kind) {
    case 'switch':
      return flags.isOn(name) ? (flag.value ?? true) : flag.otherwise;
    case 'part':
      return flags.isOn(name) ? flag.value : undefined;
    case 'toggle':
      if (line.program === 'helm') return flags.isOn(name) ? true : undefined;
      if (flags.isOn(`no-${name}`)) return false;
      return isGiven ? flags.isOn(name) : undefined;
    case 'text':
      return flags.optionalText(name);
    case 'number': {
      const number = flags.integer(name);
      return number > 0 ? number : undefined;
    }
    case 'limit':
      return isGiven || line.program === 'helm' ? historyLimitOf(Math.max(0, flags.integer(name))) : undefined;
    case 'duration':
      return line.program === 'helm' ? helmTimeout(flags.duration(name)) : durationOf(flag, flags);
    case 'choice':
      return isGiven ? chosen(flag, flags.text(name), line) : undefined;
    case 'pairs':
      return isGiven ? Object.fromEntries(flags.pairs(name)) : undefined;
    case 'wait':
      if (line.program === 'helm') return waitStrategy(flags.text(name));
      if (flags.isOn(`no-${name}`)) return false;
      return isGiven ? waitOf(flags.text(name)) : undefined;
    case 'dry-run':
      if (line.program === 'helm') return dryRunMode(flags, line);
      return isGiven ? dryRunOf(flags.text(name)) : undefined;
    case 'fail-fast':
      return isGiven ? failFastOf(flags.text(name)) : undefined;
    case 'step-timeouts':
      return isGiven ? stepTimeoutsOf(flags.list(name)) : undefined;
    case 'values-from':
      return isGiven ? flags.list(name).map(valuesReferenceOf) : undefined;
  }
}

function helmTimeout(nanoseconds: bigint): number {
  const milliseconds = Number(nanoseconds) / 1e6;
  return milliseconds <= 0 ? timeoutForZero : Math.min(milliseconds, maxTimeout);
}

function durationOf({ name, word }: Extract<FieldFlag, { kind: 'duration' }>, flags: FlagValues): unknown {
  if (!flags.isGiven(name)) return undefined;
  const text = flags.text(name);
  if (text === word) return false;
  requireDuration(`--${name}`, '', text);
  return timeoutSchema.parse(text);
}

function chosen(
  { name, choices, refusal }: Extract<FieldFlag, { kind: 'choice' }>,
  text: string,
  { program }: CommandLineOf,
): unknown {
  if (Object.hasOwn(choices, text)) return choices[text];
  const words = Object.keys(choices);
  if (refusal !== undefined) {
    const message = refusal.replace('%s', () => text);
    if (program === 'helm' || words.every((word) => refusal.includes(word))) throw new Error(message);
    const allowed = `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
    throw new Error(`--${name}: ${message}. Valid values are ${allowed}`);
  }
  const expected = words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(', ')}`;
  throw new Error(`--${name} must be ${expected}, not ${JSON.stringify(text)}`);
}

/** Reads a level, or `crash_loop=transient,unschedulable=fatal`. */
function failFastOf(text: string): unknown {
  const pairs = text.split(',').map((part) => part.split('=', 2).map((word) => word.trim()));
  const value: unknown = text.includes('=') ? Object.fromEntries(pairs) : text;
  const parsed = failFastSchema.safeParse(value);
  if (!parsed.success) throw new Error(`--fail-fast: ${parsed.error.issues[0]?.message ?? 'not valid'}`);
  return parsed.data;
}

function stepTimeoutsOf(texts: readonly string[]): unknown {
  return Object.fromEntries(
    texts.map((text) => {
      const [, step, duration] = /^([^=]+)=(.+)$/.exec(text) ?? [];
      if (step === undefined || duration === undefined) {
        throw new Error(`--step-timeout must be STEP=DURATION, not ${JSON.stringify(text)}`);
      }
      requireDuration('--step-timeout', `${step}=`, text);
      return [step, timeoutSchema.parse(duration)];
    }),
  );
}

const referenceKinds = new Map([
  ['secret', 'Secret'],
  ['configmap', 'ConfigMap'],
]);

/** Reads `secret/NAME,key=KEY,path=PATH,optional`. */
function valuesReferenceOf(text: string): unknown {
  const [object = '', ...rest] = text.split(',');
  const [word = '', ...names] = object.split('/');
  const kind = referenceKinds.get(word.toLowerCase());
  const name = names.join('/');
  const refuse = () =>
    new Error(
      `--values-from must be secret/NAME or configmap/NAME, with ,key=KEY ,path=PATH ,optional, not ${JSON.stringify(text)}`,
    );
  if (kind === undefined || name === '') throw refuse();
  const reference: Record<string, unknown> = { kind, name };
  for (const option of rest) {
    const [, field = '', value = ''] = /^(key|path)=(.+)$/.exec(option) ?? [];
    if (option === 'optional') reference['optional'] = true;
    else if (field === 'key') reference['key'] = value;
    else if (field === 'path') reference['targetPath'] = value;
    else throw refuse();
  }
  return reference;
}
