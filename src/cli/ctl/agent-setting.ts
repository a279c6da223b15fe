import * as z from 'zod';
import type { Settings } from '../settings.ts';

export const agentSettings = {
  agent: {
    flag: 'agent',
    value: 'id',
    variable: 'HELM_AGENT_AGENT',
    description: 'agent that performs the command',
  },
} satisfies Settings<string>;

export const agentSchema = z.object({ agent: z.string().optional() });
