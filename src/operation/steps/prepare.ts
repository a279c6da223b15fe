import type { ChartContent } from '../../chart/load/chart-content.ts';
import type { ReleaseValues, RenderedRelease } from '../../render/release-renderer.ts';
import type { ReleaseFacts } from '../../render/scope/chart-templates.ts';
import type { ClusterCapabilities } from '../../objects/cluster.ts';
import type { OperationContext } from '../context.ts';
import { capabilitiesWith, definedApiVersions, installCrds } from './crds.ts';
import { clusterLookup } from './lookup.ts';
import type { DeployOptions } from '../request.ts';
import type { StepRunner } from './step-runner.ts';

export interface Preparation extends Pick<DeployOptions, 'postRender' | 'postRenderStrategy' | 'dryRun'> {
  loadChart: (signal: AbortSignal) => Promise<ChartContent>;
  values: ReleaseValues;
  release: ReleaseFacts;
}

/**
 * Runs the steps before the first change to the release: loads the chart, installs its CRDs if the
 * release is new, and renders it. All of them can run again after an interruption.
 */
export async function prepare(
  context: OperationContext,
  runner: StepRunner,
  { loadChart, values, release, postRender, postRenderStrategy, dryRun = false }: Preparation,
): Promise<RenderedRelease> {
  const { cluster, renderer } = context;
  const chart = await runner.step('load', async (tools) => {
    const loaded = await loadChart(tools.signal);
    tools.done(`${loaded.name} ${loaded.version}`);
    return loaded;
  });

  const newApiVersions = await runner.step('crds', async (tools) => {
    const files = release.isInstall ? await renderer.crds(chart, values, tools.signal) : [];
    const apiVersions = definedApiVersions(files);
    if (files.length === 0) {
      tools.skipped(release.isInstall ? 'the chart has no CRDs' : 'upgrades do not change CRDs');
      return apiVersions;
    }
    if (dryRun) {
      tools.skipped('a dry run installs no CRDs');
      return [];
    }
    // a first render, so that no CRDs are installed if a template fails
    const capabilities = withApiVersions(await cluster.capabilities(tools.signal), apiVersions);
    const lookup = clusterLookup(cluster, tools.signal, new Set(apiVersions));
    await renderer.render({ chart, values, release, capabilities, lookup }, tools.signal);
    const count = await installCrds(context, files, release.namespace, tools);
    if (count > 0) tools.done(`${count} installed`);
    else tools.skipped('all exist already');
    return apiVersions;
  });

  const capabilities = await runner.step('capabilities', async (tools) => {
    const found = await capabilitiesWith(cluster, newApiVersions, tools.signal);
    tools.done(`Kubernetes ${found.version.gitVersion}`);
    return found;
  });

  return await runner.step('render', async (tools) => {
    const lookup = clusterLookup(cluster, tools.signal);
    const request = { chart, values, release, capabilities, lookup, postRender, postRenderStrategy };
    const rendered = await renderer.render(request, tools.signal);
    tools.done(`${rendered.manifestCount} manifests, ${rendered.hooks.length} hooks`);
    return rendered;
  });
}

function withApiVersions(capabilities: ClusterCapabilities, apiVersions: readonly string[]): ClusterCapabilities {
  return { ...capabilities, apiVersions: [...new Set([...capabilities.apiVersions, ...apiVersions])] };
}
