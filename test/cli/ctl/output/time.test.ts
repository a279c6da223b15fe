import test from 'ava';
import { listedTime } from '../../../../src/cli/ctl/output/time.ts';
import { processHost } from '../../../../src/render/process-host.ts';

test('a time in UTC is printed without asking for the local time zone', (t) => {
  const host = {
    ...processHost(),
    get timeZone(): string {
      throw new Error('asked for the time zone');
    },
  };
  t.is(listedTime('2026-07-01T10:00:00.5Z', '', host), '2026-07-01 10:00:00.5 +0000 UTC');
  t.throws(() => listedTime('2026-07-01T12:00:00+02:00', '', host), { message: 'asked for the time zone' });
});

test('a time with the offset of the local time zone is printed with its abbreviation', (t) => {
  const host = { ...processHost(), timeZone: 'Europe/Berlin' };
  t.is(listedTime('2026-07-01T12:00:00+02:00', '', host), '2026-07-01 12:00:00 +0200 CEST');
  t.is(listedTime('2026-07-01T12:00:00+03:00', '', host), '2026-07-01 12:00:00 +0300 +0300');
  t.is(listedTime('2026-07-01T10:00:00Z', '', host), '2026-07-01 10:00:00 +0000 UTC');
});
