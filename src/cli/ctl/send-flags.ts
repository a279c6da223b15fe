import { customFlag, type Flag } from '../pflag/flag.ts';
import type { FlagValues } from '../pflag/flag-values.ts';
import { givenSettings, settingFlags } from '../settings.ts';
import { agentSettings } from './agent-setting.ts';
import { serverSettings } from './control-plane-client.ts';
import { requireDuration } from './duration-flag.ts';
import type { Flags } from './session.ts';

const deliverWithin =
  'time for the agent to connect, or false to fail if it is not connected (default: 24h; false for commands that only read)';

/** Returns the flags of a command that is sent to an agent. */
export function sendFlags(): Flag[] {
  return [...settingFlags(agentSettings), customFlag('duration', 'deliver-within', deliverWithin)];
}

/** Returns the values of the flags for a session. Throws an error if one is not valid. */
export function sessionFlags(flags: FlagValues): Flags {
  const given = givenSettings({ ...serverSettings, ...agentSettings }, flags);
  if (!flags.isGiven('deliver-within')) return given;
  const text = flags.text('deliver-within');
  requireDuration('--deliver-within', '', text);
  return { ...given, deliverWithin: text };
}
