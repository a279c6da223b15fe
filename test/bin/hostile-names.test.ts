import test from 'ava';
import { rights } from '../../src/protocol/commands/definition.ts';
import { badlyNamedCommands, refusals } from '../protocol/support/bad-names.ts';
import { faultyWorld } from './support/faulty-world.ts';
import { ownRequest } from './support/rights-world.ts';
import { agentId } from './support/world.ts';

/** Requests that name nothing: what the cluster serves, and the journal of the agent. */
const harmless = /^GET \/(?:api|apis|version|openapi\/v3)(?:[/?]|$)(?!.*\/namespaces\/)/;

/** Whether each segment of the path of a request is one name, also for a server that decodes it. */
function hasOneSegment(request: string): boolean {
  const [path = ''] = request.split(' ')[1]?.split('?') ?? [];
  return path.split('/').every((segment) => !/[/]|^\.\.?$/.test(decodeURIComponent(segment)));
}

/** Whether the query of a request has a text. */
function isInQuery(request: string, text: string): boolean {
  const query = new URLSearchParams(request.split('?').slice(1).join('?'));
  return text.length > 1 && [...query.values()].some((value) => value.includes(text));
}

test('every command refuses a text that cannot be the name of an object, and does not send it to the cluster', async (t) => {
  t.timeout(300_000, 'it performs all commands');
  const { plane, api, cluster } = await faultyWorld(t, {
    random: () => 0.5,
    setup: { allowedRights: rights },
    writeCharts: () => Promise.resolve(),
  });
  await cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const spec = { containers: [{ name: 'a', image: 'a' }], restartPolicy: 'Never' };
  await cluster.create({
    ...{ apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'backup', namespace: 'shop' } },
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: { spec } } } },
  });
  await cluster.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0', namespace: 'shop' }, spec });
  const commands = await badlyNamedCommands('shop');
  for (const { type, payload, value, text } of commands) {
    const before = api.requests.length;
    const result = await plane.send(agentId, { type, payload }).result;
    if (result.ok) return t.fail(`${text} was accepted`);
    t.true(refusals.has(result.error.code), `${text}: ${result.error.code}: ${result.error.message}`);
    const sent = api.requests.slice(before).filter((one) => !harmless.test(one) && !ownRequest.test(one));
    const bad = sent.filter((one) => !/^(?:GET|WATCH) /.test(one) || !hasOneSegment(one) || isInQuery(one, value));
    t.deepEqual(bad, [], text);
  }
  t.true(commands.length > 300, 'the commands have names');
});
