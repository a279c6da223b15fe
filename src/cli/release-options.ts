import { parseKubeVersion } from '../render/scope/capabilities.ts';

/** The Kubernetes version that a flag says, as Helm takes it; undefined where it says none. Refuses what is none with Helm's text. */
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

/** The namespace of a release, as Helm takes it where no kubeconfig says another. */
export function namespaceOf(
  flags: { namespace?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  return flags.namespace || env['HELM_NAMESPACE'] || 'default';
}
