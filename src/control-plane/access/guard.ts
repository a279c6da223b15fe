import { LRUCache } from 'lru-cache';
import { type LabelRequirement, parseLabelSelector } from '../../objects/label-selector.ts';
import type { CommandTarget } from '../../protocol/commands/command-target.ts';
import type { Right } from '../../protocol/commands/definition.ts';
import type { CommandTable } from '../../protocol/commands/table.ts';
import { ControlPlaneError, type ControlPlaneErrorCode } from '../error.ts';
import type { CommandRecord } from '../store/command-store.ts';
import { type CommandScope, commandScope } from './command-scope.ts';
import {
  type Action,
  type AgentSubject,
  hasRoleFor,
  isAllowed,
  isAllowedSomewhere,
  mayReach,
  type ReadSelector,
  type Scope,
} from './is-allowed.ts';
import type { Principal } from './role.ts';

/** Returns true, at once, to allow what a user's roles allow. All else refuses it. */
export type Authorize = (principal: Principal, action: Action) => boolean;

/** A request that a user may not make. */
export class RefusedError extends ControlPlaneError {
  readonly action: Action;

  constructor(code: ControlPlaneErrorCode, message: string, action: Action) {
    super(code, message);
    this.action = action;
  }
}

export interface GuardOptions {
  table: CommandTable;
  /** Default: what the roles allow is allowed. */
  authorize?: Authorize | undefined;
  /** Returns the labels of an agent; undefined if the agent is not known. */
  labelsOf: (agentId: string) => AgentSubject['labels'];
  /** Whether an agent, or a command for one, has the id. */
  isTaken: (agentId: string) => boolean;
  /** Returns a command that is stored. */
  commandOf: (key: string) => CommandRecord | undefined;
}

/** A command that is about to be sent. */
interface NewCommand {
  readonly type: string;
  readonly payload?: Readonly<Record<string, unknown>> | undefined;
}

type Subject = Omit<CommandScope, 'canChange'>;

/** A command that was sent. */
type CommandSubject = Pick<CommandRecord, 'agentId' | 'type' | 'namespace' | 'releaseName' | 'sentBy'>;

/** Number of label selectors that are kept. */
const maxSelectors = 1000;

/** The rights whose commands, and their results, those with the right `read` see. */
const readable: ReadonlySet<Right> = new Set(['read', 'deploy', 'act']);

/**
 * Decides about all requests of users. What one may not see is refused as if it did not exist.
 * Methods that begin with `require` throw `ControlPlaneError`.
 */
export class Guard {
  readonly #options: GuardOptions;
  /** Lists ask for each of thousands of commands and agents. */
  readonly #readSelector: ReadSelector;

  constructor(options: GuardOptions) {
    this.#options = options;
    const selectors = new LRUCache<string, LabelRequirement[]>({
      max: maxSelectors,
      memoMethod: (text) => parseLabelSelector(text),
    });
    this.#readSelector = (text) => selectors.memo(text);
  }

  allows(principal: Principal, action: Action): boolean {
    return isAllowed(principal, action, this.#readSelector) && this.#isAuthorized(principal, action);
  }

  /** Whether a user may know of an agent. Default of `labels`: those that the agent has. */
  sees(principal: Principal, agentId: string, labels = this.#options.labelsOf(agentId)): boolean {
    const agent = { agentId, labels };
    return mayReach(principal, agent, this.#readSelector) && this.#isAuthorized(principal, { right: 'read', agent });
  }

  /** Whether a user may know of a command, its events and its result. */
  seesCommand(principal: Principal, record: CommandSubject): boolean {
    const { agentId, type: command, namespace, releaseName: release, sentBy } = record;
    const right = this.#rightOf(command);
    const scope = { agent: this.#agent(agentId), namespace, release };
    if (this.allows(principal, { ...scope, right, command })) return true;
    if (command === 'cancel_command' && sentBy === principal.name) return this.#seesOwnCancellation(principal, scope);
    return readable.has(right) && this.allows(principal, { ...scope, right: 'read' });
  }

  /** Requires that a user may know of a command, if there is one with the key. */
  requireVisible(principal: Principal, key: string): void {
    const record = this.#options.commandOf(key);
    if (!record || this.seesCommand(principal, record)) return;
    throw commandNotFound(key, { right: 'read', agent: this.#agent(record.agentId) });
  }

  /** Requires an administrator without any limit. */
  requireAdministrator(principal: Principal): void {
    const action = { right: 'admin' } as const;
    if (this.allows(principal, action)) return;
    throw new RefusedError('forbidden', `${principal.name} may not do this; it is for administrators`, action);
  }

  /** Requires that a user may manage an agent, or invite one with some labels. */
  requireAgentAdministrator(principal: Principal, agentId: string, newLabels?: AgentSubject['labels']): void {
    const { labelsOf, isTaken } = this.#options;
    const own = newLabels === undefined || isTaken(agentId) ? [labelsOf(agentId)] : [];
    for (const labels of newLabels === undefined ? own : [...own, newLabels]) {
      const action = { right: 'admin', agent: { agentId, labels } } as const;
      if (this.allows(principal, action)) continue;
      if (!this.sees(principal, agentId, labels)) hide(action, 'agent_not_found');
      throw new RefusedError('forbidden', `${principal.name} may not manage the agent ${agentId}`, action);
    }
  }

  requireAgent(principal: Principal, agentId: string): void {
    if (!this.sees(principal, agentId)) {
      hide({ right: 'read', agent: this.#agent(agentId) }, 'agent_not_found');
    }
  }

  /** Requires that a user may send a command. Returns its scope, or that of what it cancels. */
  requireCommand(principal: Principal, agentId: string, { type, payload = {} }: NewCommand): CommandScope {
    const scope = commandScope(this.#options.table, type, payload);
    const { key } = payload;
    if (type === 'cancel_command' && typeof key === 'string') {
      return { ...scope, ...this.#requireCancel(principal, agentId, key, scope) };
    }
    this.#require(principal, actionOf(type, this.#agent(agentId), scope));
    return scope;
  }

  /** Requires that a user may send a command like another one. */
  requireLike(principal: Principal, { agentId, type, namespace, releaseName }: CommandSubject): void {
    const right = this.#rightOf(type);
    this.#require(principal, actionOf(type, this.#agent(agentId), { right, namespace, releaseName }));
  }

  /** Whether a user may send a command to each of some agents. */
  allowsOnAll(principal: Principal, agentIds: readonly string[], { type, payload = {} }: NewCommand): boolean {
    const { right, namespace, releaseName: release } = commandScope(this.#options.table, type, payload);
    const action = { right, command: type, namespace, release };
    // a role for all agents, which spares a decision about each of thousands
    if (this.#options.authorize === undefined && this.allows(principal, action)) return true;
    return agentIds.every((agentId) => this.allows(principal, { ...action, agent: this.#agent(agentId) }));
  }

  /** Requires that a user may send some command that uses an uploaded chart. */
  requireUpload(principal: Principal): void {
    const { definitions } = this.#options.table;
    const isAllowedToUpload = Object.entries(definitions).some(
      ([command, { right, fields }]) =>
        'chartUpload' in fields &&
        isAllowedSomewhere(principal, { right, command }) &&
        this.#isAuthorized(principal, { right, command }),
    );
    if (isAllowedToUpload) return;
    throw new RefusedError('forbidden', `${principal.name} may not send commands with charts`, { right: 'deploy' });
  }

  /** Who may send a command may cancel it. Returns the target of the command, if it is known. */
  #requireCancel(principal: Principal, agentId: string, key: string, scope: Subject): Partial<CommandTarget> {
    const record = this.#options.commandOf(key);
    const action = actionOf('cancel_command', this.#agent(agentId), scope);
    // the agent may know it from before
    if (record?.agentId !== agentId && this.allows(principal, action)) return {};
    if (record?.agentId !== agentId || !this.seesCommand(principal, record)) {
      if (!this.sees(principal, agentId)) hide(action, 'agent_not_connected');
      throw commandNotFound(key, action);
    }
    this.requireLike(principal, record);
    const { namespace, releaseName } = record;
    return { namespace, releaseName };
  }

  /** It needed the right of what it cancels, which may be forgotten. */
  #seesOwnCancellation(principal: Principal, scope: Scope & { agent: AgentSubject }): boolean {
    return (
      hasRoleFor(principal, scope, this.#readSelector) && this.#isAuthorized(principal, { ...scope, right: 'read' })
    );
  }

  #require(principal: Principal, action: Action & { agent: AgentSubject }): void {
    if (this.allows(principal, action)) return;
    const { agentId, labels } = action.agent;
    if (!this.sees(principal, agentId, labels)) hide(action, 'agent_not_connected');
    throw new RefusedError('forbidden', `${principal.name} may not send ${describe(action)}`, action);
  }

  #isAuthorized(principal: Principal, action: Action): boolean {
    // a token may have ended since the request began
    if (principal.revoked?.aborted === true) return false;
    const { authorize } = this.#options;
    return authorize === undefined || isTrue(authorize(principal, action));
  }

  /** Returns the right that a command needs. One that is not known needs that of administrators. */
  #rightOf(type: string): Right {
    return this.#options.table.find(type)?.definition.right ?? 'admin';
  }

  #agent(agentId: string): AgentSubject {
    return { agentId, labels: this.#options.labelsOf(agentId) };
  }
}

/** Whether the application's decision is true. Throws `TypeError` if it would come later. */
function isTrue(decision: unknown): boolean {
  if (!(decision instanceof Promise)) return decision === true;
  decision.catch(() => undefined); // the error below says what is wrong
  throw new TypeError('the option authorize returned a promise; it must return true or false at once');
}

function hide(action: Action & { agent: AgentSubject }, code: 'agent_not_found' | 'agent_not_connected'): never {
  const isUnknown = code === 'agent_not_found';
  const { agentId } = action.agent;
  const message = isUnknown ? 'no agent with this id is known' : `no agent is connected as ${agentId}`;
  throw new RefusedError(code, message, action);
}

function commandNotFound(key: string, action: Action): RefusedError {
  return new RefusedError('command_not_found', `no command has the key ${key}`, action);
}

function actionOf(command: string, agent: AgentSubject, { right, namespace, releaseName }: Subject) {
  return { right, command, agent, namespace, release: releaseName };
}

function describe({ command = '', right, agent, namespace, release }: Action): string {
  const subject = release === undefined ? '' : ` for the release ${JSON.stringify(release)}`;
  const place = namespace === undefined ? 'all namespaces' : `the namespace ${JSON.stringify(namespace)}`;
  return `${command} to the agent ${agent?.agentId ?? ''}${subject} in ${place}, which needs the right "${right}" there`;
}
