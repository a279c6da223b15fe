import { readHead } from './head.ts';
import type { Manifest } from './sort-manifests.ts';

/** Returns the manifest without the content of a Secret (pkg/action/action.go: renderResources). */
export function withoutSecret(manifest: Manifest): Manifest {
  const isSecret = manifest.kind === 'Secret' && readHead(manifest.content).apiVersion === 'v1';
  return isSecret ? { ...manifest, content: '# HIDDEN: The Secret output has been suppressed' } : manifest;
}
