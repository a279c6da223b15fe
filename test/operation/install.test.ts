import type { ReleaseInput, ReleaseRenderer, ReleaseSettings } from '../../src/render/release-renderer.ts';
import { configMap, crd, deployment, job } from './manifests.ts';
import { textChart } from './text-renderer.ts';
import { newWorld, releaseName, sandboxTest, statusesOf, stepEnds } from './world.ts';

const test = sandboxTest();

test('runs all steps and deploys the release', async (t) => {
  const files = { 'a.yaml': configMap('a'), 'd.yaml': deployment('web'), 'j.yaml': job('load') };
  const chart = textChart(files, { notes: 'Hi' });
  const world = newWorld(t, chart);
  const release = await world.install(chart, { values: 'size: 2' });
  t.deepEqual(stepEnds(world.progress), [
    'load:done',
    'crds:skipped',
    'capabilities:done',
    'render:done',
    'check:done',
    'namespace:done',
    'record:done',
    'pre-hooks:skipped',
    'apply:done',
    'wait:done',
    'post-hooks:skipped',
    'finish:done',
  ]);
  const { namespace } = world;
  t.like(release, { name: releaseName, namespace, version: 1, apply_method: 'ssa', config: { size: 2 } });
  t.like(release.info, { status: 'deployed', description: 'Install complete', notes: 'Hi' });
  t.regex(release.info.first_deployed ?? '', /^\d{4}-\d\d-\d\dT.*Z$/);
  t.deepEqual(await world.stored(1), release);
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('reports the start and the end of each step', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const record = world.progress.filter(({ step }) => step === 'record');
  t.deepEqual(
    record.map(({ state }) => state),
    ['running', 'done'],
  );
  t.is(record[1]?.message, 'revision 1');
  t.regex(record[0]?.time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test("adds Helm's label, annotations and field manager to objects, but not to the manifest", async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a', '1', { mine: 'yes' }) });
  const world = newWorld(t, chart);
  const release = await world.install(chart);
  const object = await world.find('ConfigMap', 'a');
  t.is(object?.metadata.labels?.['app.kubernetes.io/managed-by'], 'Helm');
  t.deepEqual(object?.metadata.annotations, {
    mine: 'yes',
    'meta.helm.sh/release-name': releaseName,
    'meta.helm.sh/release-namespace': world.namespace,
  });
  t.like(object?.metadata['managedFields'], [{ manager: 'helm', operation: 'Apply' }]);
  t.is(release.manifest, `---\n# Source: web/templates/a.yaml\n${configMap('a', '1', { mine: 'yes' })}\n`);
});

test('reports all resources of a wait first, then each change with its reason', async (t) => {
  const files = { 'd.yaml': deployment('slow', { behaviour: 'ready-after=4s' }), 'a.yaml': configMap('a') };
  const chart = textChart(files);
  const world = newWorld(t, chart);
  await world.install(chart);
  const waiting = world.progress.filter(({ step, resources }) => step === 'wait' && resources !== undefined);
  t.deepEqual(
    waiting[0]?.resources?.map(({ kind, name }) => `${kind}/${name}`),
    ['ConfigMap/a', 'Deployment/slow'],
  );
  t.deepEqual(statusesOf(world.progress, 'a'), ['Current']);
  const statuses = statusesOf(world.progress, 'slow');
  t.is(statuses.at(-1), 'Current');
  t.true(statuses.length > 1);
  t.true(statuses.every((status, index) => status !== statuses[index - 1]));
  t.true(statuses.slice(0, -1).every((status) => status.startsWith('InProgress ')));
});

test('does not wait if wait is false', async (t) => {
  const chart = textChart({ 'd.yaml': deployment('web', { behaviour: 'never-ready' }) });
  const world = newWorld(t, chart);
  const release = await world.install(chart, { wait: false });
  t.is(release.info.status, 'deployed');
  t.true(stepEnds(world.progress).includes('wait:skipped'));
});

test('waits for the end of Jobs, or only for their start', async (t) => {
  const chart = textChart({ 'j.yaml': job('load', { args: ['sleep', '20s'] }) });
  const world = newWorld(t, chart);
  await world.install(chart);
  const done = await world.find('Job', 'load');
  t.like(done?.['status'], { succeeded: 1 });

  const long = textChart({ 'j.yaml': job('load', { args: ['sleep', '1h'] }) });
  const impatient = newWorld(t, long);
  await impatient.install(long, { waitForJobs: false });
  const started = await impatient.find('Job', 'load');
  t.like(started?.['status'], { active: 1 });
});

test('does not wait for a paused Deployment', async (t) => {
  const paused = deployment('web').replace('"replicas"', '"paused":true,"replicas"');
  const chart = textChart({ 'd.yaml': paused });
  const release = await newWorld(t, chart).install(chart);
  t.is(release.info.status, 'deployed');
});

test('creates the namespace with the label of Helm, unless createNamespace is false', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart, { createNamespace: false }));
  t.like(error, {
    code: 'namespace_not_found',
    message: `create: failed to create: namespaces "${world.namespace}" not found`,
  });
  await world.install(chart);
  const namespace = await world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: world.namespace });
  t.is(namespace?.metadata.labels?.['name'], world.namespace);
  t.true(stepEnds(world.progress).includes('namespace:done'));
});

test('stores the description of the request', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const release = await newWorld(t, chart).install(chart, { description: 'by hand' });
  t.is(release.info.description, 'by hand');
});

test('refuses a name that is in use', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  const error = await t.throwsAsync(world.install(chart));
  t.like(error, {
    code: 'release_exists',
    message: 'release name check failed: cannot reuse a name that is still in use',
  });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('upgrade: true installs a new release and upgrades an existing one', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  t.is((await world.install(chart, { upgrade: true })).info.description, 'Install complete');
  t.is((await world.install(chart, { upgrade: true })).info.description, 'Upgrade complete');
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
});

test('installs over an uninstalled release only to replace or to upgrade it', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.uninstall({ keepHistory: true });
  await t.throwsAsync(world.install(chart), { code: 'release_exists' });
  await world.install(chart, { replace: true });
  t.deepEqual(await world.history(), ['1:superseded', '2:deployed']);
  await world.uninstall({ keepHistory: true });
  await world.install(chart, { upgrade: true });
  t.deepEqual(await world.history(), ['1:superseded', '2:superseded', '3:deployed']);
});

test('refuses to take over an object of another owner', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { namespace } = world;
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await world.cluster.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace },
    data: { x: 'y' },
  });
  const error = await t.throwsAsync(world.install(chart));
  t.like(error, {
    code: 'ownership_conflict',
    message: `unable to continue with install: ConfigMap "a" in namespace "${namespace}" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by": must be set to "Helm"; annotation validation error: missing key "meta.helm.sh/release-name": must be set to "web"; annotation validation error: missing key "meta.helm.sh/release-namespace": must be set to "${namespace}"`,
  });
  t.deepEqual(await world.history(), []);
  t.deepEqual((await world.find('ConfigMap', 'a'))?.['data'], { x: 'y' });
});

test('applies nothing if one of many objects of a kind belongs to no release', async (t) => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const chart = textChart(Object.fromEntries(names.map((name) => [`${name}.yaml`, configMap(name)])));
  const world = newWorld(t, chart);
  const { namespace } = world;
  await world.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await world.cluster.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'd', namespace } });
  const error = await t.throwsAsync(world.install(chart), { code: 'ownership_conflict' });
  t.regex(error.message, /ConfigMap "d" in namespace/);
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'a'), undefined);
});

test('adopts an object that has the annotations of the release', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  await world.install(chart);
  await world.cluster.delete({
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: world.namespace,
    name: 'sh.helm.release.v1.web.v1',
  });
  t.is((await world.install(chart)).info.status, 'deployed');
});

test('refuses an unknown kind before it stores anything', async (t) => {
  const chart = textChart({ 'w.yaml': 'apiVersion: e.io/v1\nkind: Widget\nmetadata: {name: w}\n' });
  const world = newWorld(t, chart);
  const error = await t.throwsAsync(world.install(chart));
  t.like(error, { code: 'invalid_manifest' });
  t.regex(
    error.message,
    /^unable to build kubernetes objects from release manifest: web\/templates\/w\.yaml: .*"Widget".*"e\.io\/v1"/,
  );
  t.deepEqual(await world.history(), []);
});

test('puts objects without a namespace into that of the release', async (t) => {
  const own = configMap('b').replace('"name":"b"', '"name":"b","namespace":"default"');
  const chart = textChart({ 'a.yaml': configMap('a'), 'b.yaml': own.replaceAll('"b"', '"install-b"') });
  const world = newWorld(t, chart);
  await world.install(chart);
  t.truthy(await world.find('ConfigMap', 'a'));
  t.truthy(await world.cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'install-b' }));
  await world.uninstall();
  t.is(
    await world.cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'install-b' }),
    undefined,
  );
});

test('templates can look up objects in the cluster', async (t) => {
  const chart = textChart(async ({ lookup, release }) => {
    const look = (kind: string, namespace: string, name: string) => lookup?.('v1', kind, namespace, name);
    const found = {
      namespace: (await look('Namespace', '', 'default'))?.['kind'],
      nothing: await look('ConfigMap', release.namespace, 'nothing'),
      listed: (await look('Namespace', '', ''))?.['kind'],
      withoutNamespace: await look('ConfigMap', '', 'nothing'),
    };
    return { 'a.yaml': configMap('a', JSON.stringify(found)) };
  });
  const world = newWorld(t, chart);
  await world.install(chart);
  const data = (await world.find('ConfigMap', 'a'))?.['data'] as { value: string };
  t.deepEqual(JSON.parse(data.value), {
    namespace: 'Namespace',
    nothing: {},
    listed: 'NamespaceList',
    withoutNamespace: {},
  });
});

test('calls a post-renderer once, and applies and stores its result', async (t) => {
  const crds = { 'widgets.yaml': crd('gadget') };
  const chart = textChart({ 'a.yaml': configMap('a', '1', { mine: 'yes' }) }, { crds });
  const world = newWorld(t, chart);
  const seen: string[] = [];
  const release = await world.install(chart, {
    postRender(manifests) {
      seen.push(manifests);
      return Promise.resolve(manifests.replace('"yes"', '"changed"'));
    },
  });
  t.is(seen.length, 1);
  t.regex(seen[0] ?? '', /postrender-filename": "web\/templates\/a.yaml"/);
  t.is(release.manifest, `---\n# Source: web/templates/a.yaml\n${configMap('a', '1', { mine: 'changed' })}\n`);
  t.is((await world.find('ConfigMap', 'a'))?.metadata.annotations?.['mine'], 'changed');
});

test('stores nothing if a post-renderer fails', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const postRender = () => {
    throw new Error('no');
  };
  await t.throwsAsync(world.install(chart, { postRender }), {
    code: 'post_render_failed',
    message: 'error while running post render on files: no',
  });
  t.deepEqual(await world.history(), []);
});

test('a dry run returns the revision and changes nothing', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const planned = await world.install(chart, { dryRun: true });
  t.like(planned, { version: 1, info: { status: 'pending-install', description: 'Dry run complete' } });
  t.regex(planned.manifest, /ConfigMap/);
  t.deepEqual(await world.history(), []);
  t.is(await world.find('ConfigMap', 'a'), undefined);
  await world.install(chart);
  t.is((await world.install(chart, { dryRun: true })).version, 1, 'the name may be in use');
  const upgraded = await world.upgrade(chart, { dryRun: true });
  t.like(upgraded, { version: 2, info: { status: 'pending-upgrade', description: 'Dry run complete' } });
  t.deepEqual(await world.history(), ['1:deployed']);
});

test('a dry run without the cluster looks up nothing and has the capabilities of Helm', async (t) => {
  const chart = textChart({ 'a.yaml': 'kind: Unknown\napiVersion: example.com/v9\nmetadata: {name: a}\n' });
  const world = newWorld(t, chart);
  const seen: Partial<ReleaseInput & ReleaseSettings>[] = [];
  const { renderer } = world.context();
  const spy: ReleaseRenderer = {
    ...renderer,
    render(request, signal) {
      seen.push(request);
      return renderer.render(request, signal);
    },
  };
  await world.install(chart, { dryRun: true, offline: true, hideSecret: true }, { renderer: spy });
  t.like(seen, { length: 1, 0: { lookup: undefined, hideSecrets: true } });
  t.is(seen[0]?.capabilities?.version.gitVersion, 'v1.36.0');
  t.deepEqual(await world.history(), []);
});

test('reports each warning about values once and without the value', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const { renderer } = world.context();
  const skipped = { message: 'warning: skipped value for web.a: Not a table.' };
  const ignored = { message: 'warning: destination for b is a table. Ignoring non-table value (secret)' };
  const warning: ReleaseRenderer = {
    ...renderer,
    async render(request, signal) {
      return { ...(await renderer.render(request, signal)), warnings: [skipped, ignored, skipped] };
    },
  };
  const seen: object[] = [];
  await world.install(chart, {}, { renderer: warning, onValueWarning: (found) => seen.push(found) });
  t.deepEqual(seen, [skipped, ignored, skipped]);
  const messages = world.progress.filter(({ step, state }) => step === 'render' && state === 'running');
  t.deepEqual(
    messages.map(({ message }) => message),
    [undefined, skipped.message, 'warning: destination for b is a table. Ignoring non-table value'],
  );
});

test('hides Secrets in a dry run only', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const world = newWorld(t, chart);
  const message = 'hiding Kubernetes secrets requires a dry-run mode';
  await t.throwsAsync(world.install(chart, { hideSecret: true }), { code: 'bad_payload', message });
});

test('replaces a failed release only with replace, and leaves its status', async (t) => {
  const chart = textChart({ 'a.yaml': configMap('a') });
  const failing = textChart({ 'j.yaml': job('load', { args: ['fail'] }) });
  const world = newWorld(t, chart, failing);
  await t.throwsAsync(world.install(failing, { atomic: false }));
  await t.throwsAsync(world.install(chart), { code: 'release_exists' });
  await world.install(chart, { replace: true });
  t.deepEqual(await world.history(), ['1:failed', '2:deployed']);
});
