import test from 'ava';
import { createMemoryJournal } from '../../../src/journal/index.ts';
import { OperationError } from '../../../src/operation/error.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgent } from '../support/agent.ts';
import { controlPlane, install } from '../support/control-plane.ts';

interface Line {
  msg: string;
  account?: string;
  key?: string;
  release?: string;
}

test('each line of a command has its key and its release', async (t) => {
  const plane = await controlPlane(t);
  const journal = { ...createMemoryJournal(), finish: () => Promise.reject(new Error('no space')) };
  const { puppets, lines } = await testAgent(t, { controlPlaneUrl: plane.url, journal });
  const connection = await plane.connection(0);
  connection.send(install('a', 'web'));
  connection.send(install('b', 'api'));
  const first = await puppets.call(0);
  const second = await puppets.call(1);
  first.context.log.warn({}, 'a problem of the operation');
  first.fail(new OperationError('not_ready', 'web is not ready'));
  second.fail(new Error('a defect'));
  const written = () => lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => !msg.startsWith('connect'));
  await eventually(
    'all lines are written',
    () => written().filter(({ msg }) => msg === 'cannot journal a result').length === 2,
  );
  const texts = written().map(({ msg, key, release }) => `${key ?? ''} ${release ?? ''} ${msg}`);
  for (const text of texts) t.regex(text, /^(?:a \S*web|b \S*api) /, text);
  for (const part of ['command accepted', 'a problem of the operation', 'command failed', 'a defect']) {
    t.true(
      texts.some((text) => text.includes(part)),
      part,
    );
  }
});

test('the lines of a command that a service account performs name the account', async (t) => {
  const plane = await controlPlane(t);
  const account = () => Promise.resolve('shop/deployer' as const);
  const rights = { accountFor: account, accountToContinue: account };
  const journal = { ...createMemoryJournal(), finish: () => Promise.reject(new Error('no space')) };
  const { puppets, lines } = await testAgent(t, { controlPlaneUrl: plane.url, rights, journal });
  const connection = await plane.connection(0);
  connection.send(install('a'));
  (await puppets.call(0)).fail(new OperationError('not_ready', 'web is not ready'));
  const written = () => lines.map((line) => JSON.parse(line) as Line).filter(({ msg }) => !msg.startsWith('connect'));
  await eventually('all lines are written', () => written().length === 3);
  t.deepEqual(
    written().map(({ msg, account: named }) => [msg, named]),
    [
      ['command accepted', 'shop/deployer'],
      ['command failed', 'shop/deployer'],
      ['cannot journal a result', 'shop/deployer'],
    ],
  );
});
