import type * as z from 'zod';
import type { Performer } from '../../../src/operation/command-operation.ts';
import type { paintRelease } from './paint-release.ts';

type Payload = z.output<typeof paintRelease.payload>;
type Answer = z.output<typeof paintRelease.answer>;

/** The second file of a verb: how it is performed. */
export const operation: Performer<Payload, Answer> = {
  perform({ namespace, releaseName, color = 'red', coats = 1 }) {
    return Promise.resolve({ painted: `${namespace}/${releaseName} ${color} x${coats}` });
  },
};
