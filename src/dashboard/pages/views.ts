import type { FunctionComponent } from 'preact';
import type { RouteName, RouteParameters } from '../route/route.ts';
import { AgentView } from './agent.tsx';
import { AgentsView } from './agents.tsx';
import { AuditView } from './audit.tsx';
import { CommandDetails } from './command.tsx';
import { CommandsView } from './commands.tsx';
import { ConnectView } from './connect.tsx';
import { OverviewView } from './overview.tsx';
import { PlansView } from './plans.tsx';
import { ReleaseView } from './release.tsx';
import { TokensView } from './tokens.tsx';

/** The component of each view. It gets the parameters in the path. */
const table: { [Name in RouteName]: FunctionComponent<RouteParameters<Name>> } = {
  overview: OverviewView,
  agents: AgentsView,
  agent: AgentView,
  release: ReleaseView,
  commands: CommandsView,
  command: CommandDetails,
  plans: PlansView,
  audit: AuditView,
  tokens: TokensView,
  connect: ConnectView,
};

// the router gives each the parameters that its path has
export const views = table as Record<RouteName, FunctionComponent<Readonly<Record<string, string>>>>;
