import { type Completion, directives, withoutFiles } from '../../completion/candidate.ts';
import type { HelmContext } from '../context.ts';
import { textAt } from '../kubeconfig.ts';

/** Completes a namespace of the cluster; those of an agent's cluster are not known here. */
export async function namespaceCompletion(context: HelmContext): Promise<Completion> {
  if (context.agent !== undefined) return { candidates: [], directive: directives.default };
  try {
    return withoutFiles((await context.listNamespaces()).map((name) => ({ name, description: '' })));
  } catch {
    // a shell offers nothing if the cluster does not respond; a message would disturb the line
    return { candidates: [], directive: directives.default };
  }
}

/** Completes a context of the kubeconfig, of which helm shows the cluster. */
export async function contextCompletion(context: HelmContext): Promise<Completion> {
  try {
    const { contexts } = await context.kubeConfig();
    const sorted = [...contexts].sort(([a], [b]) => (a < b ? -1 : 1));
    return withoutFiles(sorted.map(([name, fields]) => ({ name, description: textAt(fields, 'cluster') })));
  } catch {
    return withoutFiles([]);
  }
}
