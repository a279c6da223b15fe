import { readFileSync } from 'node:fs';
import { connectCluster } from '../../src/kube/cluster.ts';
import { podTexts } from './pod-api.ts';

// Connects to a pod by a kubeconfig, and prints what it writes.

const [kubeconfig = ''] = process.argv.slice(2);
const cluster = connectCluster({ text: readFileSync(kubeconfig, 'utf8') });
console.log((await podTexts(cluster)).join());
await cluster.close();
