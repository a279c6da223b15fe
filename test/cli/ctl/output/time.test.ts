import test from 'ava';
import { ansiTime, hasTime, listedTime } from '../../../../src/cli/ctl/output/time.ts';
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

test('what is not a time is printed like no time', (t) => {
  const host = processHost();
  t.is(listedTime('yesterday\u001b[2J', '', host), '-');
  t.false(hasTime('yesterday', host));
  t.is(ansiTime('yesterday', host), 'Mon Jan  1 00:00:00 0001');
});
