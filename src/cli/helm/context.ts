import type { ProgramDependencies } from '../dependencies.ts';
import type { HelmLog } from '../helm-log.ts';
import type { KubeConfig } from './kubeconfig.ts';
import type { Releases } from './release/releases.ts';
import type { HelmSettings } from './settings.ts';

/** Everything that `helm-agent helm` takes from outside. */
export type HelmDependencies = Pick<
  ProgramDependencies,
  | 'table'
  | 'version'
  | 'env'
  | 'stdout'
  | 'stderr'
  | 'host'
  | 'readFile'
  | 'fetch'
  | 'onStop'
  | 'createRenderer'
  | 'resolveHost'
  | 'openReleases'
  | 'listNamespaces'
>;

/** The names by which commands of helm are called: all by `helm`, some by `helm-agent` too. */
export type ProgramName = 'helm' | 'helm-agent';

/** Everything that a command of helm uses. */
export interface HelmContext extends Omit<HelmDependencies, 'openReleases' | 'listNamespaces'> {
  programName: ProgramName;
  settings: HelmSettings;
  /** Returns the kubeconfig that the settings name, which is read once. Rejects with Go's text. */
  kubeConfig(): Promise<KubeConfig>;
  /** Returns the namespace of releases, which may be that of the kubeconfig. */
  namespace(): Promise<string>;
  /** The agent that performs commands about releases. Undefined if this program does. */
  agent: string | undefined;
  /** Opens the releases of the cluster, or those of an agent. The caller closes them. */
  openReleases(): Promise<Releases>;
  /** Returns the names of the namespaces of the cluster. */
  listNamespaces(): Promise<string[]>;
  /** Helm's log, on stderr. */
  log: HelmLog;
}
