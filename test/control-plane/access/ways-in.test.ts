import test, { type ExecutionContext } from 'ava';
import type { Role } from '../../../src/control-plane/index.ts';
import { commandTypes } from '../../../src/protocol/commands/index.ts';
import { testProgram } from '../../cli/support/program.ts';
import { testPlane } from '../support/plane.ts';
import { rawAgent } from '../support/raw-agent.ts';

/** The outcome of a request: it is allowed, forbidden, or is about something that is not found. */
type Decision = 'allowed' | 'forbidden' | 'not found';

interface Action {
  type: string;
  payload: Record<string, unknown>;
  /** The arguments of `helm` and of `ctl`, if they have the command. */
  args?: readonly string[];
}

const inNamespace = (namespace: string, releaseName = 'web') => ({ namespace, releaseName });
const uninstall = (namespace: string, name = 'web'): Action => ({
  ...{ type: 'uninstall_release', payload: inNamespace(namespace, name) },
  args: ['uninstall', name, '-n', namespace],
});
const rollback = (namespace: string): Action => ({
  ...{ type: 'rollback_release', payload: { ...inNamespace(namespace), version: 1 } },
  args: ['rollback', 'web', '1', '-n', namespace],
});
const history = (namespace: string): Action => ({
  ...{ type: 'release_history', payload: inNamespace(namespace) },
  args: ['history', 'web', '-n', namespace],
});
const list = (namespace: string): Action => ({
  ...{ type: 'list_releases', payload: { namespace } },
  args: ['list', '-n', namespace],
});
const listAll: Action = { type: 'list_releases', payload: {}, args: ['list', '-A'] };

/** Starts a control plane with two agents that refuse all commands at once. */
async function world(t: ExecutionContext) {
  const { plane, url, agentUrl } = await testPlane(t, { apiToken: 'root', insecure: true });
  for (const agentId of ['edge-1', 'core-1']) {
    const agent = await rawAgent(agentUrl, { agentId, capabilities: [...commandTypes] });
    agent.socket.on('message', (data: Buffer) => {
      const { key, type } = JSON.parse(data.toString()) as { key?: string; type: string };
      if (key === undefined || !(commandTypes as readonly string[]).includes(type)) return;
      agent.send('result', { ok: false, error: { code: 'not_ready', message: 'it has arrived' } }, key);
    });
  }
  return { plane, url };
}

/** Returns the decision that a text shows, or the text if it shows none. */
const decisionOf = (text: string): string =>
  /it has arrived/.test(text)
    ? 'allowed'
    : /\b403\b/.test(text)
      ? 'forbidden'
      : /\b404\b/.test(text)
        ? 'not found'
        : text;

const decides = test.macro({
  title: (name, _roles, _agentId, _action, expected: Decision) =>
    `REST, SDK, ctl and helm: ${name ?? ''} is ${expected}`,
  async exec(t, roles: readonly Role[], agentId: string, { type, payload, args }: Action, expected: Decision) {
    const { plane, url } = await world(t);
    const { token } = await plane.tokens.create({ name: 'ci', roles });
    const response = await fetch(`${url}/api/agents/${agentId}/commands`, {
      ...{ method: 'POST', body: JSON.stringify({ type, payload }) },
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    await response.body?.cancel();
    t.is(response.status === 202 ? 'allowed' : decisionOf(String(response.status)), expected, 'REST');
    const send = () => plane.send(agentId, { type, payload, principal: plane.tokens.find(token) });
    if (expected === 'allowed') t.is(send().agentId, agentId);
    else t.throws(send, { code: expected === 'forbidden' ? 'forbidden' : 'agent_not_connected' }, 'SDK');
    for (const program of args ? ['ctl', 'helm'] : []) {
      const env = {
        ...{ HELM_AGENT_SERVER: url, HELM_AGENT_TOKEN_FILE: 'token', HELM_AGENT_AGENT: agentId },
        KUBECONFIG: '/dev/null',
      };
      const { run, stderr } = testProgram({ env, files: { token } });
      await run(program, ...(args ?? []));
      t.is(decisionOf(stderr.text), expected, program);
    }
  },
});

const read: Role = { rights: ['read'], agents: ['edge-*'], namespaces: ['shop'] };
const deploy: Role = { rights: ['read', 'deploy'], agents: ['edge-*'], namespaces: ['shop'] };
const all: Role = { rights: ['admin'] };

const cases: readonly [string, readonly Role[], string, Action, Decision][] = [
  ['a history for a reader', [read], 'edge-1', history('shop'), 'allowed'],
  ['a history of another namespace', [read], 'edge-1', history('pay'), 'forbidden'],
  ['a history on an agent of others', [read], 'core-1', history('shop'), 'not found'],
  ['a history on an agent that does not exist', [read], 'none', history('shop'), 'not found'],
  ['a list for a reader', [read], 'edge-1', list('shop'), 'allowed'],
  ['a list of another namespace', [read], 'edge-1', list('pay'), 'forbidden'],
  ['a list of all namespaces for a reader of one', [read], 'edge-1', listAll, 'forbidden'],
  ['an uninstallation for a reader', [read], 'edge-1', uninstall('shop'), 'forbidden'],
  ['a rollback for a reader', [read], 'edge-1', rollback('shop'), 'forbidden'],
  ['an uninstallation', [deploy], 'edge-1', uninstall('shop'), 'allowed'],
  ['a rollback', [deploy], 'edge-1', rollback('shop'), 'allowed'],
  ['an uninstallation in another namespace', [deploy], 'edge-1', uninstall('pay'), 'forbidden'],
  ['a rollback in another namespace', [deploy], 'edge-1', rollback('pay'), 'forbidden'],
  ['an uninstallation on an agent of others', [deploy], 'core-1', uninstall('shop'), 'not found'],
  ['a rollback on an agent of others', [deploy], 'core-1', rollback('shop'), 'not found'],
  ['a release of the role', [{ ...deploy, releases: ['w*'] }], 'edge-1', uninstall('shop'), 'allowed'],
  ['another release', [{ ...deploy, releases: ['w*'] }], 'edge-1', uninstall('shop', 'db'), 'forbidden'],
  ['a list for a role of releases', [{ ...read, releases: ['w*'] }], 'edge-1', list('shop'), 'forbidden'],
  ['a single command', [{ ...read, rights: ['rollback_release'] }], 'edge-1', rollback('shop'), 'allowed'],
  ['another one', [{ ...read, rights: ['rollback_release'] }], 'edge-1', uninstall('shop'), 'forbidden'],
  ['an action with the right act', [{ ...read, rights: ['act'] }], 'edge-1', uninstall('shop'), 'forbidden'],
  ['an uninstallation for an administrator', [all], 'core-1', uninstall('pay'), 'allowed'],
  ['a list of all namespaces for an administrator', [all], 'core-1', listAll, 'allowed'],
  ['an agent that does not exist, for an administrator', [all], 'none', listAll, 'not found'],
  ['an administrator of other agents', [{ ...all, agents: ['core-*'] }], 'edge-1', listAll, 'not found'],
  ['an administrator of a namespace', [{ ...all, namespaces: ['shop'] }], 'edge-1', rollback('shop'), 'allowed'],
  ['all of it', [{ ...all, namespaces: ['shop'] }], 'edge-1', listAll, 'forbidden'],
  ['a selector without a match', [{ ...all, labels: 'site=a' }], 'edge-1', listAll, 'not found'],
  ['a selector for what is absent', [{ ...all, labels: '!site' }], 'edge-1', listAll, 'not found'],
  ['the second of two roles', [{ ...all, agents: ['core-*'] }, read], 'edge-1', list('shop'), 'allowed'],
  ['half of each of two roles', [{ ...deploy, namespaces: ['pay'] }, read], 'edge-1', rollback('shop'), 'forbidden'],
  ['a pattern in the middle', [{ ...read, namespaces: ['s*p'] }], 'edge-1', list('shop'), 'allowed'],
  ['a pattern that is a prefix only', [{ ...read, namespaces: ['sho'] }], 'edge-1', list('shop'), 'forbidden'],
  ['a dot that is no pattern', [{ ...read, namespaces: ['s..p'] }], 'edge-1', list('shop'), 'forbidden'],
  ['another case', [{ ...read, namespaces: ['SHOP'] }], 'edge-1', list('shop'), 'forbidden'],
  ['an agent of another case', [{ ...read, agents: ['EDGE-1'] }], 'edge-1', list('shop'), 'not found'],
  [
    'a history with the right deploy alone',
    [{ ...deploy, rights: ['deploy'] }],
    'edge-1',
    history('shop'),
    'forbidden',
  ],
  ['a shell', [deploy], 'edge-1', { type: 'exec', payload: inNamespace('shop') }, 'forbidden'],
  ['facts about the cluster', [read], 'edge-1', { type: 'cluster_info', payload: {} }, 'forbidden'],
  ['a command that does not exist', [deploy], 'edge-1', { type: 'fly', payload: {} }, 'forbidden'],
];
for (const [name, roles, agentId, action, expected] of cases) test(name, decides, roles, agentId, action, expected);
