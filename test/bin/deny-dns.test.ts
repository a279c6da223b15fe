import test from 'ava';
import { agentId, startWorld } from './support/world.ts';

const world = startWorld({ denyDns: true });
test.after.always(async () => (await world).close());

const refuses = test.macro({
  title: (_, type: string, _fields?: object) => `${type} with enableDns is refused by an agent with --deny-dns`,
  async exec(t, type: string, fields?: object) {
    const { plane } = await world;
    const send = async (enableDns: boolean) => {
      const payload = { releaseName: 'web', namespace: 'dns', chartName: 'web', offline: true, ...fields, enableDns };
      const result = await plane.send(agentId, { type, payload }).result;
      return result.ok ? undefined : result.error;
    };
    t.like(await send(true), {
      code: 'bad_payload',
      message: 'enableDns: this agent does not resolve names for charts (--deny-dns)',
    });
    t.is(await send(false), undefined);
  },
});
test.serial(refuses, 'template_release');
test.serial(refuses, 'install_release', { offline: undefined });
test.serial(refuses, 'upgrade_release', { offline: undefined });
test.serial(refuses, 'diff_release', { offline: undefined });
test.serial(refuses, 'plan_release', { offline: undefined, action: 'upgrade' });
