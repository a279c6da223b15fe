import type { Hook } from '../release/hook.ts';
import { printManifest } from '../render/manifest/documents.ts';
import type { ReleaseInput, ReleaseSettings, ReleaseValues, RenderedRelease } from '../render/release-renderer.ts';
import { operationOf } from './command-operation.ts';
import type { OperationContext } from './context.ts';
import { withRedaction } from './evidence/redacted-reports.ts';
import { asSecrets, redactionOf } from './evidence/release-redaction.ts';
import { answerRedaction } from './evidence/secret-values.ts';
import type { RenderChartRequest, TemplateRequest } from './request.ts';
import { withChart } from './resolve.ts';
import { defaultTimeout } from './state/deadline.ts';
import { withImageRules } from './steps/image-rules.ts';
import { clusterLookup, hostLookup } from './steps/lookup.ts';
import { checkNamespace, checkReleaseName } from './steps/names.ts';
import { installValues } from './steps/release-values.ts';
import { type StepRunner, stepRunner, type StepTools } from './steps/step-runner.ts';
import { type ReadSources, readSources } from './steps/values-sources.ts';
import { timeLimit } from './time-limit.ts';

export interface Templated {
  /** The manifests and the hooks, as `helm template` prints them. */
  manifest: string;
  /** Text of NOTES.txt. Empty if the chart has none. */
  notes: string;
}

/** Renders a chart with the capabilities of the cluster (pkg/cmd/template.go). */
export async function template(context: OperationContext, request: TemplateRequest): Promise<Templated> {
  const { releaseName: name, namespace, isUpgrade = false, includeCrds } = request;
  checkReleaseName(name, (problem) => `release name check failed: release name ${JSON.stringify(name)}: ${problem}`);
  checkNamespace(namespace);
  return await withSteps(context, request, async (runner) => {
    const rendered = await renderForCluster(context, runner, request, {
      values: (sources) => installValues(request, sources),
      release: { name, namespace, revision: 1, isInstall: !isUpgrade, isUpgrade },
      hideSecrets: request.hideSecret,
      includeCrds,
    });
    const { manifest, hooks, notes } = rendered;
    const shown = hooks.filter((hook) => isShown(hook, request)).map((hook) => printManifest(hook.path, hook.manifest));
    const text = `${manifest.trim()}\n${shown.join('')}`;
    const secret = answerRedaction(context, [{ ...rendered, namespace, secret_values: rendered.secretPaths }]);
    if (secret === undefined) return { manifest: text, notes };
    const [shownManifest = '', shownNotes = ''] = await secret.texts([text, notes]);
    return { manifest: shownManifest, notes: shownNotes };
  });
}

function isShown({ events }: Hook, { noHooks = false, skipTests = false }: TemplateRequest): boolean {
  return !noHooks && !(skipTests && events.includes('test'));
}

/** Runs the steps of an operation that changes nothing, with its time limit. */
export async function withSteps<T>(
  { signal, abandon, startTimer, host, progress }: OperationContext,
  { timeout = defaultTimeout }: Pick<RenderChartRequest, 'timeout'>,
  run: (runner: StepRunner) => Promise<T>,
): Promise<T> {
  const limit = timeLimit(timeout, [signal, abandon], startTimer);
  try {
    return await run(stepRunner(limit.signal, host, progress));
  } finally {
    limit.close();
  }
}

interface RenderTask extends Pick<ReleaseInput & ReleaseSettings, 'hideSecrets' | 'includeCrds' | 'release'> {
  /** Returns the values, from those that the request only names. */
  values: (sources: ReadSources) => ReleaseValues;
}

/** Loads and renders a chart as an operation does that changes the release. Installs no CRDs. */
export async function renderForCluster(
  context: OperationContext,
  runner: StepRunner,
  given: RenderChartRequest,
  request: RenderTask,
): Promise<RenderedRelease> {
  const { cluster, renderer } = context;
  const { loadChart, renderSubchartNotes: subchartNotes = false, skipSchemaValidation = false } = given;
  const chart = await runner.step('load', async (tools) => {
    const loaded = await loadChart(tools.signal);
    tools.done(`${loaded.name} ${loaded.version}`);
    return loaded;
  });
  const capabilities = await runner.step('capabilities', async (tools) => {
    const found = await cluster.capabilities(tools.signal);
    tools.done(`Kubernetes ${found.version.gitVersion}`);
    return found;
  });
  const render = async (tools: StepTools, values: ReleaseValues): Promise<RenderedRelease> => {
    const lookup = clusterLookup(context, { namespace: request.release.namespace }, tools.signal);
    const options = { subchartNotes, skipSchemaValidation };
    const sources = { lookup, resolveHost: hostLookup(context, given, tools.signal) };
    const task = { ...request, values, chart, capabilities, options, ...sources };
    const plain = await renderer.render(task, tools.signal);
    const rendered = await withImageRules(context, plain, request.release.namespace, tools.signal);
    tools.done(`${rendered.manifestCount} manifests, ${rendered.hooks.length} hooks`);
    return values.secretPaths === undefined ? rendered : { ...rendered, secretPaths: values.secretPaths };
  };
  return await runner.step('render', async (tools) => {
    const { namespace, name: releaseName } = request.release;
    const read = await readSources(context, { ...given, namespace, releaseName }, tools.signal);
    const values = request.values(read);
    const { texts } = read.secret;
    if (texts.length === 0) return await render(tools, values);
    // an error of a template may quote them
    const redaction = redactionOf(context, [], { objects: asSecrets(texts), namespace });
    return await withRedaction(tools, redaction, context.abandon, (redacting) => render(redacting, values));
  });
}

export const operation = operationOf('template_release', {
  request: withChart,
  run: template,
  answer: ({ manifest, notes }) => ({ manifest, ...(notes !== '' && { notes }) }),
});
