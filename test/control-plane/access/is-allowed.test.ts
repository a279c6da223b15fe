import test from 'ava';
import { type Action, isAllowed, mayReach } from '../../../src/control-plane/access/is-allowed.ts';
import type { Role } from '../../../src/control-plane/access/role.ts';
import { commandTable } from '../../../src/protocol/commands/index.ts';

const roles = {
  administrator: [{ rights: ['admin'] }],
  reader: [{ rights: ['read'] }],
  deployerOfShop: [{ rights: ['deploy'], namespaces: ['shop', 'shop-*'] }],
  restarter: [{ rights: ['restart_workload'], agents: ['edge-*'] }],
  ownerOfWeb: [{ rights: ['read', 'deploy', 'act'], namespaces: ['shop'], releases: ['web', 'web-*'] }],
  siteManager: [{ rights: ['admin'], labels: 'site=a,tier!=test' }],
  reading: [
    { rights: ['read'], agents: ['edge-1'] },
    { rights: ['deploy'], agents: ['edge-2'] },
  ],
  any: [{ rights: ['read'], agents: ['*'], namespaces: ['*'], releases: ['*'] }],
  guest: [],
} satisfies Record<string, Role[]>;

type Request = Partial<Action> & { id?: string; labels?: Record<string, string> };

const decides = test.macro({
  title: (name, user: string, _request: Request, expected) => `${user} ${expected ? 'may' : 'may not'} ${name ?? ''}`,
  exec(t, user: keyof typeof roles, { id = 'edge-1', labels, ...request }: Request, expected: boolean) {
    const { command } = request;
    const right = command === undefined ? 'read' : (commandTable.find(command)?.definition.right ?? 'admin');
    const agent = { agentId: id, labels };
    t.is(isAllowed({ roles: roles[user] }, { right, agent, ...request }), expected);
  },
});

const install = { command: 'install_release', namespace: 'shop', release: 'web' };
const list = { command: 'list_releases' };
const restart = { command: 'restart_workload', namespace: 'shop' };
const site = { labels: { site: 'a', tier: 'prod' } };

test('install a release', decides, 'administrator', install, true);
test('send a command that is not known', decides, 'administrator', { command: 'fly' }, true);
test('manage an agent', decides, 'administrator', { right: 'admin' }, true);
test('list the releases of all namespaces', decides, 'administrator', list, true);
test('create tokens', decides, 'administrator', { right: 'admin', agent: undefined }, true);
test('see a release', decides, 'reader', { command: 'get_release', namespace: 'shop', release: 'web' }, true);
test('list all releases', decides, 'reader', list, true);
test('see the nodes', decides, 'reader', { command: 'cluster_info' }, true);
test('install', decides, 'reader', install, false);
test('restart', decides, 'reader', restart, false);
test('cancel', decides, 'reader', { command: 'cancel_command' }, false);
test('manage the agent', decides, 'reader', { right: 'admin' }, false);
test('read logs', decides, 'reader', { right: 'logs', namespace: 'shop' }, false);
test('install in its namespace', decides, 'deployerOfShop', install, true);
test('install in a namespace of its pattern', decides, 'deployerOfShop', { ...install, namespace: 'shop-eu' }, true);
test('install in another namespace', decides, 'deployerOfShop', { ...install, namespace: 'pay' }, false);
test('install in a namespace that begins alike', decides, 'deployerOfShop', { ...install, namespace: 'shops' }, false);
test('install in all namespaces', decides, 'deployerOfShop', { command: 'install_release' }, false);
test('read in its namespace', decides, 'deployerOfShop', { right: 'read', namespace: 'shop' }, false);
test('restart in its namespace', decides, 'deployerOfShop', restart, false);
test('restart a workload', decides, 'restarter', restart, true);
test('restart on another agent', decides, 'restarter', { ...restart, id: 'core-1' }, false);
test('scale', decides, 'restarter', { command: 'scale_workload', namespace: 'shop' }, false);
test('use the right of the command elsewhere', decides, 'restarter', { right: 'act', namespace: 'shop' }, false);
test('restart on an agent with no name', decides, 'restarter', { ...restart, id: '' }, false);
test('restart for no agent', decides, 'restarter', { ...restart, agent: undefined }, false);
test('upgrade the release', decides, 'ownerOfWeb', { ...install, command: 'upgrade_release' }, true);
test('upgrade a release of the pattern', decides, 'ownerOfWeb', { ...install, release: 'web-2' }, true);
test('upgrade another release', decides, 'ownerOfWeb', { ...install, release: 'db' }, false);
test('upgrade it in another namespace', decides, 'ownerOfWeb', { ...install, namespace: 'pay' }, false);
test('list all releases of the namespace', decides, 'ownerOfWeb', { ...list, namespace: 'shop' }, false);
test('restart without a release', decides, 'ownerOfWeb', restart, false);
test('stop the release', decides, 'ownerOfWeb', { ...install, command: 'stop_release' }, true);
test('manage an agent of the site', decides, 'siteManager', { right: 'admin', ...site }, true);
test('install on an agent of the site', decides, 'siteManager', { ...install, ...site }, true);
test('manage an agent of another site', decides, 'siteManager', { right: 'admin', labels: { site: 'b' } }, false);
const other = { site: 'a', tier: 'test' };
test('manage an agent of another tier', decides, 'siteManager', { right: 'admin', labels: other }, false);
test('manage an agent without labels', decides, 'siteManager', { right: 'admin', labels: {} }, false);
test('manage an agent that is not known', decides, 'siteManager', { right: 'admin' }, false);
test('create a token', decides, 'siteManager', { right: 'admin', agent: undefined }, false);
test('read on the first agent', decides, 'reading', list, true);
test('deploy on the second agent', decides, 'reading', { ...install, id: 'edge-2' }, true);
test('deploy on the first agent', decides, 'reading', install, false);
test('read on the second agent', decides, 'reading', { ...list, id: 'edge-2' }, false);
test('read all namespaces', decides, 'any', list, true);
test('deploy', decides, 'any', install, false);
test('read', decides, 'guest', list, false);

test('an agent is known to a user with a role for it, whatever the right', (t) => {
  const agent = { agentId: 'edge-1', labels: undefined };
  t.true(mayReach({ roles: roles.restarter }, agent));
  t.true(mayReach({ roles: roles.deployerOfShop }, agent));
  t.false(mayReach({ roles: roles.siteManager }, agent));
  t.false(mayReach({ roles: roles.restarter }, { ...agent, agentId: 'core-1' }));
  t.false(mayReach({ roles: [] }, agent));
});
