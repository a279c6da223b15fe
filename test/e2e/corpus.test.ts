import { completeJobs } from './complete-jobs.ts';
import { corpusSuite } from './corpus-suite.ts';
import { kubeconfigText } from './real-cluster.ts';

corpusSuite('a real cluster', () => Promise.resolve({ kubeconfig: kubeconfigText(), completeJobs }));
