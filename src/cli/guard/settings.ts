import * as z from 'zod';
import { agentIdSchema } from '../../protocol/agent-id.ts';
import { storageDrivers } from '../../release/storage/drivers.ts';
import { runSettings } from '../run/settings.ts';

/** The settings that a guardian has in common with its agent. */
export const guardSettings = {
  agentId: { ...runSettings.agentId, default: 'none' },
  storageDriver: runSettings.storageDriver,
  trustReleases: runSettings.trustReleases,
};

export const guardSchema = z.object({
  agentId: agentIdSchema,
  storageDriver: z.enum(storageDrivers, { error: 'must be secret or configmap' }).default('secret'),
  trustReleases: z.enum(['own', 'any'], { error: 'must be own or any' }).default('any'),
});

/** Settings of the guardian of an agent's upgrade. */
export type GuardSettings = z.output<typeof guardSchema>;
