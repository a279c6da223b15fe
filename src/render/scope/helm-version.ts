/** The build information of Helm. */
export interface HelmVersion {
  version: string;
  gitCommit: string;
  gitTreeState: string;
  goVersion: string;
  kubeClientVersion: string;
}

/** Helm version that is reproduced. */
export const defaultHelmVersion: HelmVersion = {
  version: 'v4.2.4',
  gitCommit: '',
  gitTreeState: '',
  goVersion: 'go1.26.8',
  kubeClientVersion: 'v1.36',
};
