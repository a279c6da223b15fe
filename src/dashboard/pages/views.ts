import type { FunctionComponent } from 'preact';
import type { RouteName, RouteParameters } from '../route/route.ts';
import { AgentView } from './agent.tsx';
import { AgentsView } from './agents.tsx';
import { AuditView } from './audit.tsx';
import { CommandDetails } from './command.tsx';
import { CommandsView } from './commands.tsx';
import { ConnectView } from './connect.tsx';
import { LogsView } from './logs.tsx';
import { OverviewView } from './overview.tsx';
import { PeopleView } from './people.tsx';
import { PlanView } from './plan.tsx';
import { PlansView } from './plans.tsx';
import { ReleaseView } from './release.tsx';
import { RolloutView } from './rollout.tsx';
import { RolloutsView } from './rollouts.tsx';
import { SessionView } from './session.tsx';
import { SessionsView } from './sessions.tsx';
import { StartRolloutView } from './start-rollout.tsx';
import { TerminalView } from './terminal.tsx';
import { TokensView } from './tokens.tsx';

/** The component of each view. It gets the parameters in the path. */
const table: { [Name in RouteName]: FunctionComponent<RouteParameters<Name>> } = {
  overview: OverviewView,
  agents: AgentsView,
  agent: AgentView,
  release: ReleaseView,
  terminal: TerminalView,
  logs: LogsView,
  rollouts: RolloutsView,
  rollout: RolloutView,
  startRollout: StartRolloutView,
  commands: CommandsView,
  command: CommandDetails,
  plan: PlanView,
  plans: PlansView,
  sessions: SessionsView,
  session: SessionView,
  audit: AuditView,
  tokens: TokensView,
  people: PeopleView,
  connect: ConnectView,
};

// the router gives each the parameters that its path has
export const views = table as Record<RouteName, FunctionComponent<Readonly<Record<string, string>>>>;
