import { hrefOf } from '../../src/dashboard/route/route.ts';
import { barriers } from './support/barriers.ts';
import { connectFleet } from './support/fleet.ts';
import { browserTest, open, requireFit } from './support/opened.ts';

const test = browserTest();

const payload = { releaseName: 'web', namespace: 'shop', chartName: 'web' };
const waves = [{ size: 1 }, { approval: true }];
const ids = (prefix: string) => Array.from({ length: 4 }, (_, index) => `${prefix}-${index}`);

test('a rollout is started from the form, waits for approval, and is followed until it has succeeded', async (t) => {
  const { world } = t.context;
  t.teardown(await connectFleet(world.url, ids('good')));
  const page = await open(t, '/rollouts');
  await page.getByRole('heading', { name: 'No rollout was started yet' }).waitFor();
  await page.getByRole('link', { name: 'Start a rollout' }).first().click();
  await page.getByLabel('Release', { exact: true }).fill('web');
  await page.getByLabel('Namespace').fill('shop');
  await page.getByLabel('Chart', { exact: true }).fill('web');
  await page.getByLabel('Agents, with * for any text').fill('good-*');
  await page.getByLabel('Sizes of the waves').fill('1, many');
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.getByRole('alert').getByText('waves must be numbers, or shares').waitFor();
  await page.getByLabel('Sizes of the waves').fill('1, rest');
  await page.getByLabel('Time between two waves').fill('');
  await page.getByLabel('Values, as YAML').fill('replicas: 2');
  await page.getByLabel(/waits until someone approves/).check();
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.getByText('Waits for approval').waitFor();
  t.deepEqual(world.plane.rollouts.list().length, 1);
  const waits = page.getByRole('list', { name: 'Waves' });
  await waits.getByText('Updated').waitFor();
  await page.getByRole('button', { name: 'Approve wave 2' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve wave 2' }).click();
  await page.getByRole('status').getByText('Succeeded').waitFor();
  await page.getByRole('table').getByText('good-3').waitFor();
  await page.locator('select[name=wave]').selectOption('1');
  await page.waitForURL(/wave=1/);
  t.is(await page.getByRole('table').locator('tbody tr').count(), 1);
  t.deepEqual(await barriers(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await requireFit(t, page, 'the rollout');
});

test('a rollout that fails stops by itself, says why, and is tried again, aborted and deleted', async (t) => {
  const { world } = t.context;
  const outcomeOf = (agentId: string) => (agentId === 'bad-0' ? 'not_ready' : 'ok');
  t.teardown(await connectFleet(world.url, ids('bad'), { outcomeOf }));
  const { id } = await world.plane.rollouts.start({ id: 'bad', agents: ['bad-*'], payload, waves, soak: false });
  const page = await open(t, hrefOf('rollout', { rollout: id }));
  await page.getByRole('status').getByText('Failed').waitFor();
  await page
    .locator('.notice')
    .getByText(/failed/)
    .waitFor();
  await page.getByRole('table').getByText('Reverted').waitFor();
  await page.getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('status').getByText('Failed').waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/rollouts$/);
  t.false(world.plane.rollouts.list().some((one) => one.id === id));
});

test('a rollout is paused, resumed and aborted from a request in JSON, also after a restart', async (t) => {
  const { world } = t.context;
  t.teardown(await connectFleet(world.url, ids('slow')));
  const page = await open(t, '/start-rollout?tab=json');
  const request = { id: 'slow', agents: ['slow-*'], payload, waves: [{ size: 1 }, {}], soak: '1h' };
  await page.getByLabel(/^The request/).fill('[]');
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.getByRole('alert').getByText('must be an object').waitFor();
  await page.getByLabel(/^The request/).fill(JSON.stringify(request));
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.getByText(/Soaks since/).waitFor();
  const decide = async (name: string) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('dialog').getByRole('button', { name }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };
  await decide('Pause');
  await page.getByRole('status').getByText('Paused').waitFor();
  await page.getByText('paused by api-token').waitFor();
  await world.restart();
  await decide('Resume');
  await page.getByRole('status').getByText('Running').waitFor();
  await decide('Abort');
  await page.getByRole('status').getByText('Aborted').waitFor();
  t.is(world.plane.rollouts.get('slow').phase, 'aborted');
});

test('a rollout that was aborted is undone, by those who may deploy', async (t) => {
  const { world } = t.context;
  t.teardown(await connectFleet(world.url, ids('back')));
  await world.plane.rollouts.start({ id: 'back', agents: ['back-*'], payload, waves, soak: '1h' });
  const page = await open(t, hrefOf('rollout', { rollout: 'back' }));
  await page.getByText(/Soaks since/).waitFor();
  await page.getByRole('button', { name: 'Abort' }).click();
  t.false(await page.getByRole('dialog').getByRole('checkbox').isChecked());
  await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
  await page.getByRole('status').getByText('Aborted').waitFor();
  t.like(world.plane.rollouts.get('back'), { phase: 'aborted', clusters: { updated: 1 } });
  const reader = await open(t, hrefOf('rollout', { rollout: 'back' }), {
    token: await world.tokenOf('undo-reader', [{ rights: ['read'] }]),
  });
  await reader.getByRole('button', { name: 'Undo' }).click();
  await reader.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await reader.getByRole('dialog').getByText('forbidden').waitFor();
  t.like(world.plane.rollouts.get('back'), { phase: 'aborted', clusters: { updated: 1 } });
  await page.getByRole('button', { name: 'Undo' }).click();
  const undone = page.getByRole('dialog').getByRole('checkbox');
  t.deepEqual([await undone.isChecked(), await undone.isEnabled()], [true, false]);
  t.deepEqual(await barriers(page), []);
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('table').getByText('Reverted').waitFor();
  await page.getByRole('status').getByText('Aborted').waitFor();
  t.like(world.plane.rollouts.get('back'), { phase: 'aborted', clusters: { reverted: 1 } });
});

test('a user who may not deploy cannot start a rollout, or decide about one', async (t) => {
  const { world } = t.context;
  t.teardown(await connectFleet(world.url, ids('others')));
  await world.plane.rollouts.start({ id: 'others', agents: ['others-*'], payload, waves, soak: '1h' });
  const token = await world.tokenOf('reader', [{ rights: ['read'] }]);
  const page = await open(t, hrefOf('rollout', { rollout: 'others' }), { token });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByText('forbidden').waitFor();
  await page.goto(`${world.url}/start-rollout?tab=json`);
  await page.getByLabel(/^The request/).fill(JSON.stringify({ id: 'mine', agents: ['others-*'], payload }));
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  await page.getByRole('alert').getByText('forbidden').waitFor();
  const stranger = await world.tokenOf('stranger', [{ rights: ['read'], agents: ['elsewhere'] }]);
  const hidden = await open(t, hrefOf('rollout', { rollout: 'others' }), { token: stranger });
  await hidden.getByText('rollout_not_found').waitFor();
  t.true(world.plane.rollouts.get('others').phase === 'running');
});

test('plans are read by what they change, approved, and applied; hostile names in them stay text', async (t) => {
  const { world } = t.context;
  const hostile = '<img src=x onerror=alert(1)>\u202e'.repeat(5);
  const differingOf = (agentId: string) => (agentId === 'plan-0' ? hostile : 'web');
  t.teardown(await connectFleet(world.url, ids('plan'), { differingOf }));
  const page = await open(t, '/start-rollout');
  await page.getByLabel('Release', { exact: true }).fill('web');
  await page.getByLabel('Chart', { exact: true }).fill('web');
  await page.getByLabel('Agents, with * for any text').fill('plan-*');
  await page.getByLabel('Time between two waves').fill('');
  await page.getByLabel('Name of the rollout').fill('plans');
  await page.getByLabel(/make plans first/).check();
  await page.getByRole('button', { name: 'Start the rollout' }).click();
  const plans = page.getByRole('list', { name: 'Plans' });
  await plans.getByText('3 clusters').waitFor();
  await plans.getByText('spec.template.spec.containers[name=app].image').first().waitFor();
  t.is(await page.locator('img').count(), 0);
  await page.getByText('Waits for approval').waitFor();
  await page.getByRole('status').getByText('Needs approval').waitFor();
  t.deepEqual(await barriers(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await requireFit(t, page, 'the plans');
  await page.goto(`${world.url}/audit`);
  const link = await page.getByRole('navigation', { name: 'Views' }).getByText('Audit').boundingBox();
  t.true(link !== null && link.x >= 0 && link.x + link.width <= 360, 'the current view is in sight');
  await page.goto(`${world.url}/plans`);
  await page.getByText('on their own pages').waitFor();
  await page.goto(world.url + hrefOf('rollout', { rollout: 'plans' }));
  await page.setViewportSize({ width: 1200, height: 900 });
  const reader = await open(t, hrefOf('rollout', { rollout: 'plans' }), {
    token: await world.tokenOf('plan-reader', [{ rights: ['read'] }]),
  });
  await reader.getByRole('button', { name: 'Approve', exact: true }).first().click();
  await reader.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await reader.getByRole('dialog').getByText('forbidden').waitFor();
  await plans.locator('li', { hasText: '3 clusters' }).getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await plans.getByText('approved by api-token').waitFor();
  await plans.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('status').getByText('Succeeded').waitFor();
  t.like(world.plane.rollouts.get('plans'), { phase: 'succeeded', clusters: { updated: 4 } });
});

test('a plan that the policy of an owner holds is listed, and shown with its approvals and the commands that approve it', async (t) => {
  const { world } = t.context;
  const hostile = '<img src=x onerror=alert(1)>\u202e';
  const approvals = {
    approvals: [{ by: ['alice'] }, { by: [hostile], problem: 'the key is not one of the policy' }],
    secret: 'helm-agent/helm-agent.plan.4711',
  };
  const outcomeOf = () => 'approval_required' as const;
  t.teardown(await connectFleet(world.url, ['owned-0'], { outcomeOf, approvals, differingOf: () => hostile }));
  await world.plane.rollouts.start({ id: 'owned', agents: ['owned-*'], payload, plan: true, soak: false });
  const page = await open(t, hrefOf('rollout', { rollout: 'owned' }));
  await page.getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('table').getByText('approval_required').waitFor();
  await page.getByRole('table').getByRole('link', { name: 'owned-0' }).click();
  await page.getByRole('list', { name: 'Approvals' }).getByText('alice').waitFor();
  await page.getByText('Does not count').waitFor();
  await page.getByRole('list', { name: 'Differences' }).getByText('containers[name=app].image').waitFor();
  const [{ plan = '' } = {}] = world.plane.rollouts.clusters('owned');
  const command = await page.getByLabel('Command that signs').innerText();
  t.is(command.replaceAll(/ \\\n +/g, ' '), `helm-agent ctl approve-plan ${plan} --agent owned-0 --sign-key KEY.pem`);
  t.regex(
    await page.getByLabel('Command for the cluster').innerText(),
    /^kubectl annotate secret -n helm-agent helm-agent\.plan\.4711 \\\n {2}helm-agent\/approved=[0-9a-f]{64}$/,
  );
  t.deepEqual(await barriers(page), []);
  await page.setViewportSize({ width: 360, height: 740 });
  await requireFit(t, page, 'the plan');
  await page.goto(`${world.url}/plans`);
  const list = page.getByRole('list', { name: 'Plans that wait for approval' });
  await list.getByText('in the rollout owned').waitFor();
  t.deepEqual(await barriers(page), []);
  await requireFit(t, page, 'the plans');
  await list.getByRole('link', { name: 'shop/web' }).click();
  await page.waitForURL(/\/agents\/owned-0\/plans\//);
  t.is(await page.locator('main img').count(), 0);
  const stranger = await world.tokenOf('plan-stranger', [{ rights: ['read'], agents: ['elsewhere'] }]);
  const hidden = await open(t, hrefOf('plan', { agent: 'owned-0', plan }), { token: stranger });
  await hidden.getByRole('alert').waitFor();
  t.is(await hidden.getByText('alice').count(), 0);
});
