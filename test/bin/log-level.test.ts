import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { followLogLevel } from '../../src/compose/logger.ts';
import { recordingLog } from '../agent/support/log.ts';
import { eventually } from '../support/eventually.ts';

test('the log level is that of the file, and the one before if the file has none', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'log-level-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'level');
  const { log, lines } = recordingLog();
  log.level = 'info';
  t.teardown(followLogLevel(log, file, 20));
  t.is(log.level, 'info');
  writeFileSync(file, 'debug\n');
  await eventually('debug is on', () => log.level === 'debug');
  writeFileSync(file, `${'x'.repeat(1000)}\n`);
  await eventually('a bad level is logged', () => lines.some((line) => line.includes('has none of trace')));
  t.is(log.level, 'debug');
  rmSync(file);
  await eventually('the first level is back', () => log.level === 'info');
});

test('without a file, the log level stays', (t) => {
  const log = recordingLog().log;
  followLogLevel(log, undefined)();
  t.is(log.level, 'trace');
});
