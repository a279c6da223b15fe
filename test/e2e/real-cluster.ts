import { readFileSync } from 'node:fs';

/** Returns the path of the real cluster's kubeconfig. */
export function kubeconfigFile(): string {
  const file = process.env['KUBECONFIG'];
  if (!file) throw new Error('set KUBECONFIG to the kubeconfig of a real cluster');
  return file;
}

export function kubeconfigText(): string {
  return readFileSync(kubeconfigFile(), 'utf8');
}
