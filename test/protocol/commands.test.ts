import test from 'ava';
import { commandSchemas, type CommandType } from '../../src/protocol/commands.ts';
import { decodePayload, PayloadError } from '../../src/protocol/payload.ts';

const reads = test.macro((t, type: CommandType, payload: object, expected: object) => {
  t.deepEqual<object, object>(decodePayload(commandSchemas[type], JSON.stringify(payload)), expected);
});

const install = { releaseName: 'web', chartName: 'nginx' };
/** The same once it is read. */
const read = { namespace: 'default', ...install };

test(
  'install_release takes the parameters of the Go agent',
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
  'zero values are as good as absent',
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
  'false is not absent',
  reads,
  'install_release',
  { ...install, wait: false, atomic: false },
  { ...read, wait: false, atomic: false },
);
test('a timeout in seconds', reads, 'upgrade_release', { ...install, timeout: 90 }, { ...read, timeout: 90_000 });
test(
  'a timeout as Go writes it',
  reads,
  'upgrade_release',
  { ...install, timeout: '1h2m3.5s' },
  {
    ...read,
    timeout: 3_723_500,
  },
);
test(
  'a field that no version knows is ignored',
  reads,
  'list_releases',
  { namespace: 'a', colour: 'red' },
  {
    namespace: 'a',
  },
);
test('a payload may be absent where nothing is required', (t) => {
  t.deepEqual(decodePayload(commandSchemas.list_releases, undefined), {});
});

const refuses = test.macro({
  exec: (t, type: CommandType, payload: string, message: string | RegExp) => {
    const error = t.throws(() => decodePayload(commandSchemas[type], payload), { instanceOf: PayloadError, message });
    t.is(error.code, 'bad_payload');
  },
  title: (name) => `refused is ${name ?? ''}`,
});

test(
  'a payload that is not JSON, without quoting it',
  refuses,
  'install_release',
  '{"repoPassword":"s3',
  'payload: not JSON',
);
test('a list', refuses, 'install_release', '[]', /^payload: Invalid input: expected object/);
test(
  'an install without name and chart, naming both',
  refuses,
  'install_release',
  '{}',
  /releaseName: .*; chartName: /,
);
test('an empty release name', refuses, 'uninstall_release', '{"releaseName":""}', /releaseName: /);
test(
  'a string for a boolean',
  refuses,
  'install_release',
  '{"releaseName":"a","chartName":"b","wait":"yes"}',
  /wait: /,
);
test('a revision that is no integer', refuses, 'get_release', '{"releaseName":"a","version":1.5}', /version: /);
for (const timeout of ['5', 'soon', '-5m', -1, 1e12, '169h', '5m ', 'm']) {
  test(
    `the timeout ${JSON.stringify(timeout)}`,
    refuses,
    'uninstall_release',
    JSON.stringify({ releaseName: 'a', timeout }),
    'payload: timeout: must be a duration such as 5m0s, or a number of seconds, of more than 0 and at most 168h',
  );
}
