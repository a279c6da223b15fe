import { z } from 'zod';
import { releaseSchema } from '../release.ts';
import { defineCommand } from './definition.ts';

export const listReleases = defineCommand({
  summary: 'Lists the newest revision of each release, without manifest, values and notes.',
  method: 'list',
  payload: z.object({
    namespace: z.string().optional().describe('Namespace of the releases. Default: all namespaces'),
  }),
  answer: z.object({ releases: z.array(releaseSchema).describe('The releases, by namespace and name') }),
  plainField: 'releases',
  changes: () => undefined,
});
