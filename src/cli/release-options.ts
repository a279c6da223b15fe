import { parseKubeVersion } from '../render/scope/capabilities.ts';

/**
 * Returns the Kubernetes version of a flag in Helm's form, or undefined if the flag is not given.
 * Throws an error with Helm's text if it is not a version.
 */
export function kubeVersionOf({ kubeVersion }: { kubeVersion?: string | undefined }): string | undefined {
  if (!kubeVersion) return undefined;
  try {
    parseKubeVersion(kubeVersion);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`invalid kube version '${kubeVersion}': ${error.message}`, { cause: error });
  }
  return kubeVersion.startsWith('v') ? kubeVersion : `v${kubeVersion.trim()}`;
}
