import test from 'ava';
import { defaultChartLimits } from '../../src/chart/limits.ts';
import { defaultRenderLimits } from '../../src/render/limits.ts';
import { defaultTextLimits } from '../../src/workers/limits.ts';
import { createWorkers } from '../../src/workers/workers.ts';
import { threadModule } from '../support/program.ts';
import { measureBusyTime } from './support/busy-time.ts';

const threads = createWorkers({
  moduleUrl: threadModule('worker-thread'),
  limits: { ...defaultRenderLimits, ...defaultChartLimits, ...defaultTextLimits },
  threads: 1,
});
test.after.always(() => threads.close());

const never = new AbortController().signal;
const length = 1024 * 1024;
const times = (part: string) => part.repeat(Math.ceil(length / part.length));

const logs = {
  'beginnings of tokens': times('eyJaaaaaaaa-'),
  'tokens with two parts': times('eyJaaaaaaaa.eyJaaaaaa '),
  'words before tokens': times('bearer\t'),
  'beginnings of URLs': times('a://b:c'),
  'one long line': times('a'),
};

const secrets: Readonly<Record<string, Record<string, string>>> = {
  'one short secret': { password: 'hunter2' },
  'a million characters': { password: times('a') },
  '200,000 lines': { lines: Array.from({ length: 200_000 }, (_, i) => String(100_000 + i)).join('\n') },
  'secrets that begin with each other': Object.fromEntries(
    Array.from({ length: 2000 }, (_, i) => [`k${i}`, 'a'.repeat(5 + i)]),
  ),
};

for (const [secret, data] of Object.entries(secrets)) {
  test.serial(`redacts logs of 1 MiB with ${secret} without holding up the event loop`, async (t) => {
    const manifest = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: data });
    await threads.redactor.redact([times('warm ')], [], never); // the thread starts
    const busyTime = measureBusyTime();
    const { texts } = await threads.redactor.findSecrets({ manifest, objects: [], namespace: 'shop' }, never);
    for (const log of Object.values(logs)) {
      const [redacted = ''] = await threads.redactor.redact([`${log} hunter2 end`], texts, never);
      t.true(redacted.endsWith(secret === 'one short secret' ? ' *** end' : ' end'));
    }
    const busyMs = busyTime();
    t.true(busyMs < 200, `${busyMs} ms`);
  });
}
