import type { Place, RouteName } from '../route/route.ts';
import { foreignName } from '../text/foreign-text.ts';

/** The titles of the views, for tabs of the browser and the navigation. */
export const viewTitles: Readonly<Record<RouteName, string>> = {
  overview: 'Overview',
  agents: 'Agents',
  agent: 'Agent',
  release: 'Release',
  terminal: 'Terminal',
  logs: 'Logs',
  plan: 'Plan',
  rollouts: 'Rollouts',
  rollout: 'Rollout',
  startRollout: 'Start a rollout',
  commands: 'Commands',
  command: 'Command',
  plans: 'Plans',
  sessions: 'Sessions',
  session: 'Session',
  audit: 'Audit',
  tokens: 'Tokens',
  people: 'People',
  connect: 'Connect a cluster',
};

/** Returns the title of a tab, such as `Release web · shop · edge-1 · helm-agent`. */
export function pageTitle({ name, parameters }: Pick<Place, 'name' | 'parameters'>): string {
  const [subject, ...places] = Object.values(parameters)
    .reverse()
    .map((text) => foreignName(text));
  const view = name === undefined ? 'No such page' : viewTitles[name];
  return [subject === undefined ? view : `${view} ${subject}`, ...places, 'helm-agent'].join(' · ');
}
