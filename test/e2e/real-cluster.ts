import { readFileSync } from 'node:fs';

/** The path of the kubeconfig of the real cluster. */
export function kubeconfigFile(): string {
  const file = process.env['KUBECONFIG'];
  if (!file) throw new Error('KUBECONFIG must name the kubeconfig of a real cluster');
  return file;
}

export function kubeconfigText(): string {
  return readFileSync(kubeconfigFile(), 'utf8');
}
