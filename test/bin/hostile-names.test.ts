import test from 'ava';
import * as z from 'zod';
import { objectName } from '../../src/protocol/bounded.ts';
import { rights } from '../../src/protocol/commands/definition.ts';
import type { Field } from '../../src/protocol/commands/field.ts';
import { commandTable, type CommandType, commandTypes } from '../../src/protocol/commands/index.ts';
import { examplePayloads } from '../protocol/support/examples.ts';
import { faultyWorld } from './support/faulty-world.ts';
import { ownRequest } from './support/rights-world.ts';
import { agentId } from './support/world.ts';

/** Texts that Kubernetes does not allow as names, some with a meaning in paths and queries. */
const hostile = ['../../secrets/keys', '..', 'a%2Fb', 'web?watch=1#', 'web\u001b[2J', 'web\n', '-'];

/** Requests that name nothing: what the cluster serves, and the journal of the agent. */
const harmless = /^GET \/(?:api|apis|version|openapi\/v3)(?:[/?]|$)(?!.*\/namespaces\/)/;

/** Fields whose texts only select, so that any is allowed, and selects nothing. */
const filters: ReadonlySet<string> = new Set(['list_events.name']);

/** Codes that say that the sender is wrong. */
const refusals: ReadonlySet<string> = new Set([
  ...['bad_payload', 'bad_request', 'invalid_name', 'invalid_namespace', 'invalid_release_name'],
  ...['not_found', 'deployment_not_found', 'unknown_kind', 'unsupported'],
]);

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

/** Whether a field has the name of an object, or a kind. */
function isName({ schema }: Field): boolean {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return (
    inner instanceof z.ZodString && inner.maxLength === objectName.maxLength && !(inner instanceof z.ZodStringFormat)
  );
}

/** Returns an example without other names than those that the command needs. */
function payloadFor(type: CommandType, example: object, name: string): object {
  const fields: Record<string, Field> = commandTable.definitions[type].fields;
  const kept = Object.entries(example).filter(([other]) => {
    const field = fields[other];
    return (
      field !== undefined && (!isName(field) || other === 'namespace' || !field.schema.safeParse(undefined).success)
    );
  });
  return {
    ...Object.fromEntries(kept),
    ...('chartName' in example && { chartName: 'app' }),
    ...('namespace' in fields && name !== 'namespace' && { namespace: 'shop' }),
  };
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
  const examples = await examplePayloads();
  let count = 0;
  for (const type of commandTypes) {
    const fields: Record<string, Field> = commandTable.definitions[type].fields;
    for (const [name, field] of Object.entries(fields)) {
      if (!isName(field) || filters.has(`${type}.${name}`)) continue;
      for (const value of hostile) {
        const payload = { ...payloadFor(type, examples.get(type) ?? {}, name), [name]: value };
        const before = api.requests.length;
        const result = await plane.send(agentId, { type, payload }).result;
        const named = `${type}, ${name} ${JSON.stringify(value)}`;
        if (result.ok) return t.fail(`${named} was accepted`);
        t.true(refusals.has(result.error.code), `${named}: ${result.error.code}: ${result.error.message}`);
        const sent = api.requests.slice(before).filter((one) => !harmless.test(one) && !ownRequest.test(one));
        const bad = sent.filter((one) => !/^(?:GET|WATCH) /.test(one) || !hasOneSegment(one) || isInQuery(one, value));
        t.deepEqual(bad, [], named);
        count += 1;
      }
    }
  }
  t.true(count > 300, 'the commands have names');
});
