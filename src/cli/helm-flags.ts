import { type Flag, switchFlag } from './pflag/flag.ts';

type Flags = Readonly<Record<string, string>>;

const certificates = 'set NODE_EXTRA_CA_CERTS to the file with the certificates';
const noDownload = 'put the dependencies into charts/ first, see helm-agent helm dependency build';
const noSignatures = 'verify the archive of the chart before, with helm-agent helm verify';

const agentCluster = 'the agent uses the cluster that it was started with; choose it with --agent';
const agentAccount = 'the agent uses its own service account; choose the agent with --agent';
const agentRequests = 'leave it out, the agent limits its requests itself';
const noRepositories = 'there are no repository files here; give the URL with --repo';
const noArguments = 'the agent runs its post-renderers without arguments; see its --post-renderers';
const noColors = 'leave it out, output is not colored';

/** Flags of helm that `ctl` lacks, with what to do instead. */
const ctlFlags: Flags = {
  '--dependency-update': noDownload,
  '--password <password>': 'put it into a file and use --password-file',
  '--ca-file <file>': certificates,
  '--cert-file <file>': certificates,
  '--key-file <file>': certificates,
  '--insecure-skip-tls-verify': certificates,
  '--verify': noSignatures,
  '--keyring <file>': noSignatures,
  '--debug': 'errors always name the file and line',
  '--kubeconfig <file>': agentCluster,
  '--kube-context <name>': agentCluster,
  '--kube-apiserver <address>': agentCluster,
  '--kube-ca-file <file>': agentCluster,
  '--kube-insecure-skip-tls-verify': agentCluster,
  '--kube-tls-server-name <name>': agentCluster,
  '--kube-as-group <group>': agentAccount,
  '--kube-as-user <user>': agentAccount,
  '--kube-token <token>': agentAccount,
  '--burst-limit <number>': agentRequests,
  '--qps <number>': agentRequests,
  '--registry-config <file>': 'give user name and password with --username and --password-file',
  '--repository-cache <folder>': noRepositories,
  '--repository-config <file>': noRepositories,
  '--content-cache <folder>': 'leave it out, the agent loads the chart',
  '--color <mode>': noColors,
  '--colour <mode>': noColors,
  '--pass-credentials': 'leave it out, credentials are sent to the host of the repository only',
  '--plain-http': 'start the agent with --plain-http',
  '--post-renderer <name>': 'it belongs to install and upgrade',
  '--post-renderer-args <args>': noArguments,
  '-o, --output <format>': 'for JSON use the REST API, see docs/protocol.md',
  '--template <template>': 'give the command that prints the part, such as get values, or use -o json',
  '--generate-name': 'give a name',
  '--name-template <template>': 'give a name',
  '--api-versions <versions>': 'the agent has the API versions of its cluster; see helm-agent template',
  '--kube-version <version>': 'the agent has the version of its cluster; see helm-agent template',
  '--dry-run [mode]': 'leave it out, this command changes nothing',
  '--output-dir <folder>': 'redirect the output with > FILE',
  '--release-name': 'redirect the output with > FILE',
  '-a, --all': 'leave it out, releases of every status are listed',
};

/**
 * Returns hidden flags that refuse those of helm which a command of `ctl` lacks, with what to do
 * instead. `own` has the flags of the command, and `more` further flags of helm that it lacks.
 */
export function refusedFlags(path: string, own: readonly Flag[], more: Flags = {}): Flag[] {
  return Object.entries({ ...ctlFlags, ...more }).flatMap(([text, instead]) => {
    const [, letter, name = ''] = /^(?:-(\w), )?--([\w-]+)/.exec(text) ?? [];
    if (own.some((flag) => flag.name === name)) return [];
    const isTaken = letter === undefined || own.some(({ shorthand }) => shorthand === letter);
    const refusal = `${path} has no --${name}, unlike helm: ${instead}`;
    const shorthand = isTaken ? {} : { shorthand: letter };
    return [{ ...switchFlag(name, '', { isHidden: true, ...shorthand }), refusal }];
  });
}
