import { parseKubeVersion } from '../render/capabilities.ts';

/** Refuses a `--kube-version` that is none, with Helm's text. */
export function checkKubeVersion(text: string): void {
  try {
    parseKubeVersion(text);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw new Error(`invalid kube version '${text}': ${error.message}`, { cause: error });
  }
}

/** The namespace of a release, as Helm takes it where no kubeconfig says another. */
export function namespaceOf(
  flags: { namespace?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string {
  return flags.namespace || env['HELM_NAMESPACE'] || 'default';
}
