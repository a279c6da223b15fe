import test from 'ava';
import { newestByRelease } from '../../../src/dashboard/pages/newest-by-release.ts';
import type { ListedCommand } from '../../../src/dashboard/server/types.ts';

const command = (key: string, more: Partial<ListedCommand> = {}): ListedCommand => ({
  ...{ key, agentId: 'a', type: 'upgrade_release', state: 'done', namespace: 'shop', releaseName: 'web' },
  ...more,
});

test('finds the newest command on each release that has ended', (t) => {
  const commands = [
    command('5', { agentId: 'b', state: 'accepted' }),
    command('4'),
    command('3', { agentId: 'b' }),
    command('2', { namespace: 'other' }),
    command('1'),
  ];
  t.deepEqual(
    newestByRelease(commands).map(({ key }) => key),
    ['4', '2'],
  );
});
