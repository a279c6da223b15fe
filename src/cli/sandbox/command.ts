import type { Command } from 'commander';
import type { ProgramDependencies } from '../dependencies.ts';
import { explainListenError } from '../listen-error.ts';
import { addSettings, readSettings } from '../settings.ts';
import { shellWord } from '../shell-word.ts';
import { sandboxSchema, sandboxSettings } from './settings.ts';

/** Adds `sandbox`. */
export function addSandbox(program: Command, dependencies: ProgramDependencies): void {
  const { stdout, stderr, programName, env } = dependencies;
  const command = program
    .command('sandbox')
    .description('Run a Kubernetes API in memory, with simulated workloads, and write a kubeconfig for it')
    .action(async (flags: Record<string, unknown>) => {
      const settings = readSettings(sandboxSchema, sandboxSettings, flags, env);
      const ready = (url: string, kubeconfig: string) => {
        stdout.write(`${kubeconfig}\n`);
        stderr.write(hints(programName, url, kubeconfig));
      };
      await dependencies.runSandbox(settings, ready).catch((error: unknown) => {
        throw explainListenError(error, () => ({ port: '--port', host: '--host' }));
      });
    });
  addSettings(command, sandboxSettings);
  command.addHelpText(
    'after',
    `
It prints the path of the kubeconfig. Ctrl-C ends the cluster and removes the file.
Clients must send JSON. kubectl get, kubectl apply and helm list do; helm install sends protobuf,
which the sandbox does not read.

Examples:
  helm-agent sandbox
  helm-agent sandbox --port 0 --kubeconfig /tmp/sandbox.kubeconfig`,
  );
}

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
