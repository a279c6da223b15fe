import * as z from 'zod';
import { defineCommand, releaseKey } from '../../../src/protocol/commands/definition.ts';
import { field } from '../../../src/protocol/commands/field.ts';
import { releaseArgument, releaseIdentity } from '../../../src/protocol/commands/release-fields.ts';

/** The first file of a verb: everything that is known about it. */
export const paintRelease = defineCommand({
  summary: 'Paints a release.',
  method: 'paint',
  fields: {
    ...releaseIdentity,
    color: field(z.enum(['red', 'green']).optional().describe('The color. Default: `red`'), {
      name: 'shade',
      kind: 'choice',
      choices: { red: 'red', green: 'green' },
      helmDefault: 'green',
      help: 'red or green',
    }),
    coats: field(z.int().positive().optional().describe('Number of coats. Default: 1'), {
      name: 'coats',
      short: 'c',
      kind: 'number',
      help: 'number of coats',
    }),
  },
  answer: z.object({ painted: z.string().describe('The color and the number of its coats') }),
  plainField: 'painted',
  changes: releaseKey,
  right: 'deploy',
  survives: true,
  line: {
    name: 'paint',
    short: 'Paint a release',
    arguments: [releaseArgument],
    examples: ['web --shade green'],
  },
});
