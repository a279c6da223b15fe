import { type LabelRequirement, matchesLabels, parseLabelSelector } from '../../objects/label-selector.ts';
import type { Right } from '../../protocol/commands/definition.ts';
import { matchesAny } from '../../protocol/pattern.ts';
import type { Principal, Role } from './role.ts';

/** An agent, as roles select it. */
export interface AgentSubject {
  readonly agentId: string;
  /** Undefined if the agent was not invited; no label selector matches it then. */
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/** A request of a user. */
export interface Action {
  readonly right: Right;
  /** Type of the command to send. Default: the request is not a command. */
  readonly command?: string | undefined;
  /** Undefined for what is not about one agent. */
  readonly agent?: AgentSubject | undefined;
  /** Undefined for all namespaces, and for the cluster. */
  readonly namespace?: string | undefined;
  /** Undefined for several releases, or for none. */
  readonly release?: string | undefined;
}

/** Reads the label selector of a role. */
export type ReadSelector = (text: string) => readonly LabelRequirement[];

/**
 * Whether one of the roles of a user allows an action as a whole. What the action leaves open needs
 * a role without a limit.
 */
export function isAllowed(
  { roles }: Pick<Principal, 'roles'>,
  action: Action,
  readSelector: ReadSelector = parseLabelSelector,
): boolean {
  return roles.some((role) => grants(role, action) && appliesTo(role, action, readSelector));
}

/** The agent, the namespace and the release of an action. */
export type Scope = Pick<Action, 'agent' | 'namespace' | 'release'>;

/** Whether one of the roles of a user, with whatever rights, is for something as a whole. */
export function hasRoleFor({ roles }: Pick<Principal, 'roles'>, scope: Scope, readSelector: ReadSelector): boolean {
  return roles.some((role) => appliesTo(role, scope, readSelector));
}

/** Whether a user may know of an agent, because a role covers it. */
export function mayReach(
  { roles }: Pick<Principal, 'roles'>,
  agent: AgentSubject,
  readSelector: ReadSelector = parseLabelSelector,
): boolean {
  return roles.some((role) => covers(role, agent, readSelector));
}

/** Whether a role of a user has a right, or the type of a command, for anything. */
export function isAllowedSomewhere(
  { roles }: Pick<Principal, 'roles'>,
  action: Pick<Action, 'right' | 'command'>,
): boolean {
  return roles.some((role) => grants(role, action));
}

function grants({ rights }: Role, { right, command }: Pick<Action, 'right' | 'command'>): boolean {
  return rights.includes('admin') || rights.includes(right) || (command !== undefined && rights.includes(command));
}

function appliesTo(role: Role, { agent, namespace, release }: Scope, readSelector: ReadSelector): boolean {
  return (
    matchesAny(role.namespaces, namespace) && matchesAny(role.releases, release) && covers(role, agent, readSelector)
  );
}

function covers({ agents, labels }: Role, agent: AgentSubject | undefined, readSelector: ReadSelector): boolean {
  if (!matchesAny(agents, agent?.agentId)) return false;
  if (labels === undefined) return true;
  return agent?.labels !== undefined && matchesLabels(readSelector(labels), agent.labels);
}
