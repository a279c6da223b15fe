import * as z from 'zod';
import type { ProgramDependencies } from '../dependencies.ts';
import { readSettings, type Settings, switchSchema } from '../settings.ts';

/** The flag that turns the safe defaults of the agent off. */
export const helmDefaultsSettings = {
  helmDefaults: {
    flag: 'helm-defaults',
    variable: 'HELM_AGENT_HELM_DEFAULTS',
    description:
      'use the defaults of helm: do not wait, do not undo a failure, do not create the namespace, and wait until the deadline for pods that fail',
  },
} satisfies Settings<string>;

const schema = z.object({ helmDefaults: switchSchema });

/** Whether the defaults of helm are asked for. */
export function wantsHelmDefaults(
  flags: Readonly<Record<string, unknown>>,
  { env }: Pick<ProgramDependencies, 'env'>,
): boolean {
  return readSettings(schema, helmDefaultsSettings, flags, env).helmDefaults;
}
