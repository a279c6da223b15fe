import * as z from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const maxProblems = 5;

/** A value that its schema accepts, or what is wrong with it. */
type Validated<Output> = { data: Output } | { problems: string[] };

/**
 * Reads a value by a schema. Each problem is a sentence such as `releaseName is required`; problems
 * of the value as a whole begin with `subject`. At most five are reported. No problem quotes the
 * value, which may be a secret.
 */
export function validate<Output>(schema: z.ZodType<Output>, value: unknown, subject: string): Validated<Output> {
  const badItem = findBadItem(schema, value);
  if (badItem) return { problems: problemTexts(badItem, subject) };
  const parsed = schema.safeParse(value, { error: explainIssue });
  return parsed.success ? { data: parsed.data } : { problems: problemTexts(parsed.error.issues, subject) };
}

/**
 * Returns a sentence for each of at most five problems. Those of the value as a whole begin with
 * `subject`.
 */
export function problemTexts(issues: readonly z.core.$ZodIssue[], subject: string): string[] {
  const problems = issues.slice(0, maxProblems).map((issue) => `${pathText(issue) || subject} ${issue.message}`);
  if (issues.length > maxProblems) problems.push(`and ${issues.length - maxProblems} more`);
  return problems;
}

/**
 * Returns the issues of the first item that is not valid in the lists of an object, or undefined.
 * zod collects the issues of all items, which takes seconds and gigabytes for a list of millions.
 */
function findBadItem(schema: z.ZodType, value: unknown): z.core.$ZodIssue[] | undefined {
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return undefined;
  const shape: Record<string, z.ZodType> = schema.shape;
  for (const [name, field] of Object.entries(shape)) {
    const list: unknown = Object.hasOwn(value, name) ? value[name as keyof typeof value] : undefined;
    if (!Array.isArray(list)) continue;
    const item = itemsOf(field);
    if (!item) continue;
    if (list.length > item.maximum) {
      const message = `must have at most ${item.maximum} items, but has ${list.length}`;
      return [{ code: 'too_big', origin: 'array', maximum: item.maximum, path: [name], message }];
    }
    for (const [index, entry] of list.entries()) {
      const parsed = item.schema.safeParse(entry, { error: explainIssue });
      if (!parsed.success)
        return parsed.error.issues.map((issue) => ({ ...issue, path: [name, index, ...issue.path] }));
    }
  }
  return undefined;
}

interface Items {
  schema: z.ZodType;
  /** Number of items that are allowed; `Infinity` if there is no limit. */
  maximum: number;
}

/** Returns the items of a list, which may be optional; undefined for other fields. */
function itemsOf(field: z.ZodType): Items | undefined {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable) return itemsOf(field.unwrap() as z.ZodType);
  if (!(field instanceof z.ZodArray)) return undefined;
  return { schema: field.element as z.ZodType, maximum: maximumOf(field) };
}

/** Returns the number of items that a list may have; `Infinity` if there is no limit. */
export function maximumOf({ def: { checks = [] } }: z.ZodArray): number {
  const maxima = checks.map(({ _zod: { def } }) => ('maximum' in def ? Number(def.maximum) : Infinity));
  return Math.min(Infinity, ...maxima);
}

const maxPathLength = 100;

/** Returns `a.b[1].c`. Leaves out a field name that is wrong itself, because it may be anything. */
function pathText({ code, path }: z.core.$ZodIssue): string {
  return (code === 'invalid_key' ? path.slice(0, -1) : path)
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
    .slice(0, maxPathLength);
}

/**
 * Describes the problem as the end of a sentence about the field, such as `is required`. For zod's
 * `error` option. Messages that a schema has itself win over these.
 */
export function explainIssue(issue: RawIssue): string {
  if (issue.input === undefined && isAboutType(issue)) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_format':
      return formatText(issue.format);
    case 'too_small':
      return smallText(issue);
    case 'too_big':
      return bigText(issue);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return 'has fields that are not known';
    case 'invalid_union':
      return unionText(issue);
    case 'invalid_key':
      return 'has a field whose name is not allowed';
    case 'invalid_element':
      return 'has an item that is not allowed';
    case 'custom':
      return 'is not valid';
    default:
      return 'is not valid'; // a code of a newer zod
  }
}

function isAboutType({ code }: RawIssue): boolean {
  return code === 'invalid_type' || code === 'invalid_value' || code === 'invalid_union';
}

const typeNames: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  nan: 'a number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  date: 'a date',
  null: 'null',
  undefined: 'absent',
  never: 'absent',
};

function typeName(expected: string): string {
  return typeNames[expected] ?? 'of another type';
}

const formatNames: Record<string, string> = {
  url: 'a URL',
  email: 'an email address',
  uuid: 'a UUID',
  datetime: 'a time in RFC 3339',
  date: 'a date such as 2026-01-31',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  base64: 'base64 text',
  json_string: 'JSON text',
};

function formatText(format: string): string {
  const name = formatNames[format];
  return name === undefined ? 'does not have the expected form' : `must be ${name}`;
}

function smallText({ origin, minimum, inclusive, exact }: z.core.$ZodRawIssue<z.core.$ZodIssueTooSmall>): string {
  const atLeast = exact ? 'exactly' : inclusive === false ? 'more than' : 'at least';
  if (inclusive !== false && Number(minimum) === 1 && (origin === 'string' || origin === 'array')) {
    return 'must not be empty';
  }
  return sizeText(origin, `${atLeast} ${minimum}`);
}

function bigText({ origin, maximum, inclusive, exact, input }: z.core.$ZodRawIssue<z.core.$ZodIssueTooBig>): string {
  if (!exact && inclusive !== false && typeof input === 'string') return tooLong(input, Number(maximum));
  const atMost = exact ? 'exactly' : inclusive === false ? 'less than' : 'at most';
  return sizeText(origin, `${atMost} ${maximum}`);
}

/** Returns what is wrong with a text that has too many characters, without quoting it. */
export function tooLong({ length }: string, maximum: number): string {
  return `must have at most ${maximum} characters, but has ${length}`;
}

function sizeText(origin: string, bound: string): string {
  if (origin === 'string') return `must have ${bound} characters`;
  if (origin === 'array' || origin === 'set') return `must have ${bound} items`;
  if (origin === 'object' || origin === 'map') return `must have ${bound} fields`;
  return `must be ${bound}`;
}

function unionText({ errors }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const expected = errors.map(([first]) =>
    first?.code === 'invalid_type' && first.path.length === 0 ? typeName(first.expected) : undefined,
  );
  if (expected.length === 0 || expected.includes(undefined)) return 'does not have an allowed form';
  return `must be ${[...new Set(expected)].join(' or ')}`;
}
