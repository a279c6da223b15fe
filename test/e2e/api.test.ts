import { readFileSync } from 'node:fs';
import { openEnvironment } from '../api/environment.ts';
import { kubernetesApi } from '../api/suite.ts';

kubernetesApi(() => {
  const file = process.env['KUBECONFIG'];
  if (!file) throw new Error('set KUBECONFIG to the kubeconfig of a real cluster');
  return Promise.resolve(openEnvironment(readFileSync(file, 'utf8')));
});
