import type { FunctionComponent } from 'preact';
import type { RouteName, RouteParameters } from '../route/route.ts';
import { AgentsView } from './agents.tsx';
import { CommandsView } from './commands.tsx';
import { OverviewView } from './overview.tsx';

/** The component of each view. It gets the parameters in the path. */
const table: { [Name in RouteName]?: FunctionComponent<RouteParameters<Name>> } = {
  overview: OverviewView,
  agents: AgentsView,
  commands: CommandsView,
};

// the router gives each the parameters that its path has
export const views = table as Partial<Record<RouteName, FunctionComponent<Readonly<Record<string, string>>>>>;
