import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

// prettier-ignore
const long = `
This command consists of multiple subcommands which can be used to
get extended information about the release, including:

- The values used to generate the release
- The generated manifest file
- The notes provided by the chart of the release
- The hooks associated with the release
- The metadata of the release
`;

/** The group `helm get` (pkg/cmd/get.go). */
export const get: Command<HelmContext> = {
  use: 'get',
  long,
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'all',
      short: 'download all information for a named release',
      load: async () => (await import('./get-all.ts')).getAll,
    },
    {
      name: 'values',
      short: 'download the values file for a named release',
      load: async () => (await import('./get-values.ts')).getValues,
    },
    {
      name: 'manifest',
      short: 'download the manifest for a named release',
      load: async () => (await import('./get-texts.ts')).getManifest,
    },
    {
      name: 'hooks',
      short: 'download all hooks for a named release',
      load: async () => (await import('./get-texts.ts')).getHooks,
    },
    {
      name: 'notes',
      short: 'download the notes for a named release',
      load: async () => (await import('./get-texts.ts')).getNotes,
    },
    {
      name: 'metadata',
      short: 'This command fetches metadata for a given release',
      load: async () => (await import('./get-metadata.ts')).getMetadata,
    },
  ],
};
