import type { Setting } from '../settings.ts';

/** The file with the credentials of agents, which `agents` edits and `control-plane` reads. */
export const agentsFileSetting: Setting = {
  flag: 'agents-file',
  value: 'file',
  variable: 'HELM_AGENT_AGENTS_FILE',
  description: 'file with the ids of agents and the hashes of their tokens; read again when it changes',
};
