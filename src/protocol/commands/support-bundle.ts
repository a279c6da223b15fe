import * as z from 'zod';
import { line, longText } from '../bounded.ts';
import { defineCommand } from './definition.ts';
import { missingField } from './object-fields.ts';

/** Number of files of a bundle. */
const maxFiles = 32;

export const supportBundle = defineCommand({
  summary: 'Returns what helps to find out why an agent does not work, without secrets.',
  method: 'supportBundle',
  fields: {},
  answer: z.object({
    files: z
      .array(
        z.object({
          name: z
            .string()
            .max(64)
            .regex(/^[a-z][a-z-]*\.(?:txt|json|jsonl)$/, 'must be the name of a text file, such as pods.json')
            .describe('Such as `pods.json`'),
          about: line.describe('Its content'),
          text: longText,
        }),
      )
      .max(maxFiles)
      .describe('All together have at most 1 Mi characters'),
    missing: missingField,
  }),
  plainField: 'files',
  changes: () => undefined,
  right: 'support',
  survives: false,
  asAgent: true,
});
