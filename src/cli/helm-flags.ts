import { Option, type Command } from 'commander';

const noCluster = 'no cluster is asked here';
const noEffect = 'leave it out: it changes nothing of what is printed';
const toFile = 'send the output to a file with > FILE';
const certificates = 'name the file in the environment, as NODE_EXTRA_CA_CERTS';

/** Flags of the helm CLI's commands of the same names, as commander writes them, and what to do without them. */
const absentFlags: Readonly<Record<string, string>> = {
  '--output-dir <dir>': toFile,
  '--release-name': toFile,
  '-g, --generate-name': 'give a name, or --name-template',
  '--validate': noCluster,
  '--dry-run [mode]': noCluster,
  '--kubeconfig <file>': noCluster,
  '--kube-context <name>': noCluster,
  '--dependency-update': 'put the dependencies into the folder charts/ of the chart first',
  '--post-renderer <program>': 'pipe the output through it',
  '--post-renderer-args <args>': 'pipe the output through it',
  '--password <password>': 'put it into a file, and give --password-file',
  '--ca-file <file>': certificates,
  '--cert-file <file>': certificates,
  '--key-file <file>': certificates,
  '--insecure-skip-tls-verify': certificates,
  '--verify': 'signatures of charts are not looked at',
  '--keyring <file>': 'signatures of charts are not looked at',
  '--jsonpath <template>': 'it goes with show values',
  '--enable-dns': 'templates look up no names',
  '--debug': 'what fails is named with its place',
  '--skip-crds': noEffect,
  '--create-namespace': noEffect,
  '--wait [strategy]': noEffect,
  '--timeout <duration>': noEffect,
  '--atomic': noEffect,
  '--replace': noEffect,
  '--description <text>': noEffect,
  '--disable-openapi-validation': noEffect,
  '--hide-notes': noEffect,
  '--render-subchart-notes': noEffect,
  '--no-color': noEffect,
};

/** Lets a command that stands in for one of helm's say of each flag that it lacks what to do instead, and where all are listed. */
export function refuseHelmFlags(command: Command): void {
  const path = ` ${command.parent?.name() === 'show' ? 'show ' : ''}${command.name()}`;
  command.showHelpAfterError(`helm-agent${path} --help lists the flags`);
  const own = new Set(command.options.map(({ long }) => long));
  for (const [flags, instead] of Object.entries(absentFlags)) {
    const option = new Option(flags).hideHelp();
    if (own.has(option.long)) continue;
    command.addOption(option);
    command.on(`option:${option.name()}`, () => {
      command.error(`error: helm-agent${path} has no ${option.long ?? flags}, unlike helm: ${instead}`);
    });
  }
}
