import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command } from '../../cobra/command.ts';
import type { HelmContext } from '../context.ts';

/** The group `helm get` (pkg/cmd/get.go). */
export const get: Command<HelmContext> = {
  use: 'get',
  long: 'Print a part of a release.',
  checkArguments: argumentCount('exactly', 0),
  subcommands: [
    {
      name: 'all',
      short: 'print all parts of a release',
      load: async () => (await import('./get-all.ts')).getAll,
    },
    {
      name: 'values',
      short: 'print the values of a release',
      load: async () => (await import('./get-values.ts')).getValues,
    },
    {
      name: 'manifest',
      short: 'print the objects of a release',
      load: async () => (await import('./get-texts.ts')).getManifest,
    },
    {
      name: 'hooks',
      short: 'print the hooks of a release',
      load: async () => (await import('./get-texts.ts')).getHooks,
    },
    {
      name: 'notes',
      short: 'print the notes of a release',
      load: async () => (await import('./get-texts.ts')).getNotes,
    },
    {
      name: 'metadata',
      short: 'print the metadata of a release',
      load: async () => (await import('./get-metadata.ts')).getMetadata,
    },
  ],
};
