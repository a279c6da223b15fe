// Texts, lists and maps of the protocol. All of them have a maximum.

import * as z from 'zod';
import { maxAnswerItems, maxTextLength } from './limits.ts';

/** A name of an object, as long as Kubernetes allows any. */
export const objectName = z.string().max(253);

/** A URL, or a path of a chart. */
export const url = z.string().max(8 * 1024);

/** A user name, a password or a description. */
export const line = z.string().max(16 * 1024);

/** A selector or a filter. */
export const selector = z.string().max(4 * 1024);

/** A text such as values or a manifest, which is as long as its packet allows. */
export const longText = z.string().max(maxTextLength);

/** A list in an answer. */
export function answerList<Item extends z.ZodType>(item: Item) {
  return z.array(item).max(maxAnswerItems);
}

/** A map with at most this many fields. */
export function boundedRecord<Key extends z.ZodString, Value extends z.ZodType>(
  key: Key,
  value: Value,
  maximum: number,
) {
  return z
    .record(key, value)
    .refine((fields) => Object.keys(fields).length <= maximum, {
      error: ({ input }) => `must have at most ${maximum} fields, but has ${Object.keys(input as object).length}`, // it is a record
    })
    .meta({ maxProperties: maximum });
}
