import test from 'ava';
import * as z from 'zod';
import { changedRelease, commands, type CommandType, payloadReaders } from '../../src/protocol/commands/index.ts';
import { decodePayload, PayloadError } from '../../src/protocol/payload.ts';
import { releaseStatuses } from '../../src/release/status.ts';

const reads = test.macro((t, type: CommandType, payload: object, expected: object) => {
  t.deepEqual<object, object>(decodePayload<object>(payloadReaders[type], JSON.stringify(payload)), expected);
});

const install = { releaseName: 'web', chartName: 'nginx' };
/** The payload after reading. */
const read = { namespace: 'default', ...install };

test(
  'install_release has the parameters of the Go helm-agent',
  reads,
  'install_release',
  {
    namespace: 'shop',
    repoUrl: 'https://charts.example',
    repoUserName: 'u',
    repoPassword: 'p',
    releaseName: 'web',
    chartName: 'nginx',
    chartVersion: '1.2.3',
    values: 'a: 1',
  },
  {
    namespace: 'shop',
    repoUrl: 'https://charts.example',
    repoUserName: 'u',
    repoPassword: 'p',
    releaseName: 'web',
    chartName: 'nginx',
    chartVersion: '1.2.3',
    values: 'a: 1',
  },
);
test(
  'zero values count as absent',
  reads,
  'install_release',
  {
    ...install,
    namespace: '',
    repoUrl: '',
    repoPassword: '',
    chartVersion: '',
    values: '',
    timeout: 0,
    description: null,
  },
  read,
);
test(
  'false does not count as absent',
  reads,
  'install_release',
  { ...install, wait: false, atomic: false },
  { ...read, wait: false, atomic: false },
);
test(
  'a timeout can be a number of seconds',
  reads,
  'upgrade_release',
  { ...install, timeout: 90 },
  { ...read, timeout: 90_000 },
);
test(
  'a timeout can be a Go duration',
  reads,
  'upgrade_release',
  { ...install, timeout: '1h2m3.5s' },
  {
    ...read,
    timeout: 3_723_500,
  },
);
test(
  'an unknown field is ignored',
  reads,
  'list_releases',
  { namespace: 'a', colour: 'red' },
  {
    namespace: 'a',
  },
);
test('a payload can be absent if no field is required', (t) => {
  t.deepEqual(decodePayload(payloadReaders.list_releases, undefined), {});
});

const refuses = test.macro({
  exec: (t, type: CommandType, payload: string, message: string | RegExp) => {
    const error = t.throws(() => decodePayload<object>(payloadReaders[type], payload), {
      instanceOf: PayloadError,
      message,
    });
    t.is(error.code, 'bad_payload');
  },
  title: (name) => `rejects ${name ?? ''}`,
});

test(
  'a payload that is not JSON, without quoting it',
  refuses,
  'install_release',
  '{"repoPassword":"s3',
  'payload: must be JSON text',
);
test('a list', refuses, 'install_release', '[]', 'payload: the value must be an object');
test(
  'an install without name and chart, naming both',
  refuses,
  'install_release',
  '{}',
  'payload: releaseName is required; chartName is required',
);
test('an empty release name', refuses, 'uninstall_release', '{"releaseName":""}', 'payload: releaseName is required');
test(
  'a string for a boolean',
  refuses,
  'install_release',
  '{"releaseName":"a","chartName":"b","wait":"yes"}',
  'payload: wait must be true, false, watcher, legacy or hookOnly',
);
test(
  'a revision that is not a whole number',
  refuses,
  'get_release',
  '{"releaseName":"a","version":1.5}',
  'payload: version must be a whole number',
);
for (const timeout of ['5', 'soon', '-5m', -1, 1e12, '169h', '5m ', 'm', true]) {
  test(
    `the timeout ${JSON.stringify(timeout)}`,
    refuses,
    'uninstall_release',
    JSON.stringify({ releaseName: 'a', timeout }),
    'payload: timeout must be a duration such as 5m, or a number of seconds, more than 0 and at most 168h',
  );
}

test('commands that change a release have the same key for the same release', (t) => {
  const payload = { namespace: 'shop', releaseName: 'web', chartName: 'c' };
  t.is(changedRelease('install_release', payload), 'shop/web');
  t.is(changedRelease('upgrade_release', payload), 'shop/web');
  t.is(changedRelease('uninstall_release', payload), 'shop/web');
});

test('a dry run has no release key', (t) => {
  const payload = { namespace: 'shop', releaseName: 'web', chartName: 'c', dryRun: true };
  t.is(changedRelease('install_release', payload), undefined);
  t.is(changedRelease('rollback_release', payload), undefined);
});

test('commands that only read have no release key', (t) => {
  t.is(changedRelease('list_releases', { namespace: 'shop' }), undefined);
  t.is(changedRelease('get_release', { namespace: 'shop', releaseName: 'web' }), undefined);
  t.is(changedRelease('deployment_info', { namespace: 'shop', deploymentName: 'web' }), undefined);
});

test('each command has a method of its own', (t) => {
  const methods = Object.values(commands).map(({ method }) => method);
  t.is(new Set(methods).size, methods.length);
});

test('list_releases selects by every status of a stored release, and by no other', (t) => {
  const { properties } = z.toJSONSchema(commands.list_releases.payload);
  t.like(properties?.['statuses'], { items: { enum: [...releaseStatuses] } });
});
