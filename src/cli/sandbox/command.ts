import { argumentCount } from '../cobra/argument-count.ts';
import type { Command } from '../cobra/command.ts';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { givenSettings, readSettings, settingFlags } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import { sandboxSchema, sandboxSettings } from './settings.ts';

export const sandboxCommand: Command<ProgramDependencies> = {
  use: 'sandbox',
  long: `Run a Kubernetes API in memory, with simulated workloads, and write a kubeconfig
for it. It prints the path of the kubeconfig. Ctrl-C ends the cluster and removes
the file.

Clients must send JSON. kubectl get, kubectl apply and helm list do; helm install
sends protobuf, which the sandbox does not read.`,
  examples: ['', '--port 0 --kubeconfig /tmp/sandbox.kubeconfig'],
  checkArguments: argumentCount('exactly', 0),
  flags: () => settingFlags(sandboxSettings),
  async run({ flags, context: dependencies }) {
    const { stdout, stderr, programName, env } = dependencies;
    const settings = readSettings(sandboxSchema, sandboxSettings, givenSettings(sandboxSettings, flags), env);
    const ready = (url: string, kubeconfig: string) => {
      stdout.write(`${kubeconfig}\n`);
      stderr.write(hints(programName, url, kubeconfig));
    };
    await dependencies.runSandbox(settings, ready).catch((error: unknown) => {
      throw explainListenError(error, () => ({ port: '--port', host: '--host' }));
    });
  },
};

/** Returns the commands to continue with, ready to be pasted into another terminal. */
function hints(program: string, url: string, kubeconfig: string): string {
  const file = shellWord(kubeconfig);
  return `
A Kubernetes API with simulated workloads is running at ${url}
Continue in other terminals, for example with a control plane, an agent and a command for it:

  ${program} control-plane
  ${program} run --control-plane ws://127.0.0.1:8088 --agent-id sandbox --kubeconfig ${file}
  ${program} ctl install podinfo podinfo --agent sandbox --repo https://stefanprodan.github.io/podinfo

or with any Kubernetes client:

  kubectl --kubeconfig ${file} get pods --all-namespaces
  helm --kubeconfig ${file} list --all-namespaces

Press Ctrl-C to end it and remove the kubeconfig.
`;
}
