import * as z from 'zod';
import { messageOf } from '../errors/index.ts';
import type { Value } from '../go/value.ts';
import { accountNameProblem, accountProblem } from '../objects/service-account.ts';
import { rights } from '../protocol/commands/definition.ts';
import { commandTypes } from '../protocol/commands/index.ts';
import { printableSchema } from '../protocol/printable.ts';
import { duplicateKeyProblem } from '../yaml/duplicate-keys.ts';
import { readYaml } from '../yaml/read.ts';

/** Most bytes of a rights file. */
export const maxRightsBytes = 256 * 1024;

const maxRules = 1000;
const maxItems = 100;
const maxPatternLength = 253;

const account = z.string().superRefine((text, context) => {
  const problem = text.includes('/') ? accountProblem(text) : accountNameProblem(text);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

const patterns = z
  .array(printableSchema(maxPatternLength).min(1))
  .min(1, 'must have an item; leave the field out for all')
  .max(maxItems)
  .optional();

const commandNames = [...rights, ...commandTypes];

const ruleSchema = z.strictObject({
  /** Patterns of the namespace of the release. Default: all, also commands on all namespaces. */
  namespaces: patterns,
  /** Patterns of the name of the release. Default: all, also commands on several releases. */
  releases: patterns,
  /** Types of commands, or the rights that they need. Default: all. */
  commands: z
    .array(z.enum(commandNames, { error: `must be one of ${commandNames.join(', ')}` }))
    .min(1, 'must have an item; leave the field out for all')
    .max(maxItems)
    .optional(),
  /** Patterns of the sender that the control plane names. Default: all, also no sender. */
  callers: patterns,
  /** `NAMESPACE/NAME`, or a name in the namespace of the release, or `none`. */
  account,
});

const rulesSchema = z.strictObject({ rules: z.array(ruleSchema).max(maxRules), default: account });

/** Which service account performs a command. */
export type RightsRules = z.output<typeof rulesSchema>;
export type Rule = RightsRules['rules'][number];

/**
 * Reads the text of a rights file. Throws an Error that says what is wrong, and where. The file
 * ends with the field `default` and a line break: one that is half written is refused.
 */
export function readRights(text: string): RightsRules {
  if (Buffer.byteLength(text) > maxRightsBytes) throw new Error(`it has more than ${maxRightsBytes} bytes`);
  if (/^(?:---|\.\.\.)(?:\s|$)/m.test(text.replace(/^---\s/, ''))) throw new Error('it has more than one document');
  const content = plain(readYaml(text, 0));
  const duplicates = duplicateKeyProblem(text);
  if (duplicates !== '') throw new Error(duplicates);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error('it must have the fields rules and default');
  }
  if (Object.keys(content).at(-1) !== 'default' || !text.endsWith('\n')) {
    throw new Error(
      'its last field must be default, such as "default: none", with a line break: the file may be incomplete',
    );
  }
  const parsed = rulesSchema.safeParse(content);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const path = (first?.path ?? [])
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('');
  throw new Error(`${path.replace(/^\./, '') || 'the file'}: ${first?.message ?? messageOf(parsed.error)}`);
}

/** Returns plain data. Numbers and other scalars stay what they are: no field has them. */
function plain(value: Value): unknown {
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, item]) => [key, plain(item as Value)]));
  return Array.isArray(value) ? value.map((item: Value) => plain(item)) : value;
}
