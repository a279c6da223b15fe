// The suite on a real cluster: KUBECONFIG names it.
export default {
  files: ['test/e2e/**/*.test.ts'],
  extensions: ['ts'],
  workerThreads: false,
  concurrency: 2,
  timeout: '5m',
};
