import * as z from 'zod';
import type { ObjectTarget } from '../objects/object-target.ts';
import { refused } from './policy-error.ts';

const units = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20 } as const;
const maxBytes = 2 ** 40;
const maxObjects = 100_000;

const error = 'must be a number of bytes, or a text such as 64Ki or 1Mi';

const bytesSchema = z.union([z.number(), z.string().max(20)], { error }).transform((size, context) => {
  const [, digits = '', unit = ''] = /^(\d{1,12})(Ki|Mi|)$/.exec(String(size)) ?? [];
  const bytes = Number(digits) * units[unit as keyof typeof units]; // as the expression has it
  if (bytes >= 1 && bytes <= maxBytes) return bytes;
  context.addIssue({ code: 'custom', message: error });
  return z.NEVER;
});

/** The sizes that a rule allows. */
export const sizesSchema = z
  .strictObject({
    /** Number of objects, hooks and CRDs that a command writes. Default: any. */
    objects: z.int().min(1).max(maxObjects).optional(),
    /** Size of one object as JSON. Default: any. */
    object: bytesSchema.optional(),
    /** Size of all of them together. Default: any. */
    allObjects: bytesSchema.optional(),
    /** Size of the files of a chart, unpacked. Default: any. */
    chart: bytesSchema.optional(),
    /** Size of the values of a command, and of those of the release as JSON. Default: any. */
    values: bytesSchema.optional(),
  })
  .refine((sizes) => Object.keys(sizes).length > 0, 'must have a field; leave sizes out for any size');

/** A rule with sizes. */
interface SizedRule {
  name: string;
  sizes?: z.output<typeof sizesSchema> | undefined;
}

/** An object to write, or the patch that is sent. */
export interface WrittenObject {
  ref: ObjectTarget;
  object: unknown;
}

/** Throws `PolicyError` unless a rule allows the number and the sizes of objects. */
export function requireObjectSizes(rule: SizedRule, objects: readonly WrittenObject[]): void {
  const { objects: mostObjects = Infinity, object: most = Infinity, allObjects = Infinity } = rule.sizes ?? {};
  if (objects.length > mostObjects) {
    throw refused(rule, 'sizes.objects', `${objects.length} objects, and at most ${mostObjects} are allowed`);
  }
  if (most === Infinity && allObjects === Infinity) return;
  let sum = 0;
  for (const { ref, object } of objects) {
    const bytes = jsonBytes(object, Math.min(most, allObjects - sum));
    sum += bytes;
    if (bytes > most) {
      const name = `${ref.kind} ${ref.name ?? ''}`.trim();
      throw refused(rule, 'sizes.object', `${name} has more than ${most} bytes`);
    }
    if (sum > allObjects) throw refused(rule, 'sizes.allObjects', `the objects have more than ${allObjects} bytes`);
  }
}

/** Bytes of labels and annotations that the agent adds to an object before it writes it. */
const addedBytes = 4096;

/** Throws `PolicyError` unless a rule allows the size of an object that is written now. */
export function requireWrittenSize({ name, sizes }: SizedRule, written: WrittenObject): void {
  if (sizes?.object === undefined) return;
  requireObjectSizes({ name, sizes: { object: sizes.object + addedBytes } }, [written]);
}

/** Returns the size of the files of a chart. */
export function chartBytes({ files }: { files: readonly { data: Uint8Array }[] }): number {
  return files.reduce((sum, { data }) => sum + data.length, 0);
}

/** Throws `PolicyError` unless a rule allows the size of the files of a chart. */
export function requireChartSize(rule: SizedRule, bytes: number): void {
  const most = rule.sizes?.chart;
  if (most === undefined || bytes <= most) return;
  throw refused(rule, 'sizes.chart', `the files of the chart have more than ${most} bytes`);
}

/** Throws `PolicyError` unless a rule allows the size of values. */
export function requireValuesSize(rule: SizedRule, values: unknown): void {
  const most = rule.sizes?.values;
  if (most === undefined || jsonBytes(values, most) <= most) return;
  throw refused(rule, 'sizes.values', `the values have more than ${most} bytes`);
}

/**
 * Returns the size of plain data as JSON in UTF-8. Stops when that is more than `most`. Values can
 * be nested deeper than the stack.
 */
function jsonBytes(root: unknown, most: number): number {
  let bytes = 0;
  const rest: object[] = [];
  const add = (value: unknown) => {
    if (typeof value === 'string') bytes += textBytes(value);
    else if (typeof value === 'object' && value !== null) rest.push(value);
    else bytes += String(value).length;
  };
  add(root);
  for (let value = rest.pop(); value !== undefined && bytes <= most; value = rest.pop()) {
    let count = 0;
    if (Array.isArray(value)) {
      count = value.length;
      if (bytes + count > most) return bytes + count;
      for (const item of value as unknown[]) {
        add(item);
        if (bytes > most) return bytes;
      }
    } else {
      for (const name of Object.keys(value)) {
        const field = (value as Record<string, unknown>)[name];
        if (field === undefined) continue;
        count += 1;
        bytes += textBytes(name) + 1;
        add(field);
      }
    }
    bytes += 1 + Math.max(1, count); // brackets and commas
  }
  return bytes;
}

/** Printable ASCII that JSON does not escape, as most texts are. */
const plainText = /^[ !#-[\]-~]*$/;

function textBytes(text: string): number {
  return plainText.test(text) ? text.length + 2 : Buffer.byteLength(JSON.stringify(text));
}
