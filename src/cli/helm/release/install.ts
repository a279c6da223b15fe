import { argumentCount } from '../../cobra/argument-count.ts';
import type { Command, Invocation } from '../../cobra/command.ts';
import { nameAndChart } from '../../ctl/name-and-chart.ts';
import type { HelmContext } from '../context.ts';
import { exclusiveForceFlags } from '../flags/apply-flags.ts';
import { dryRunFlag, dryRunMode } from '../flags/dry-run-flag.ts';
import { hideSecretFlag, installFlags } from '../flags/install-flags.ts';
import { outputFlag } from '../flags/output-flag.ts';
import { postRendererFlags } from '../flags/post-renderer-flags.ts';
import { withPrefix } from './failure-text.ts';
import { printDeployed } from './deployed-output.ts';
import { runInstall } from './run-install.ts';

// prettier-ignore
const long = `
This command installs a chart archive.

The install argument must be a chart reference, a path to a packaged chart,
a path to an unpacked chart directory or a URL.

To override values in a chart, use either the '--values' flag and pass in a file
or use the '--set' flag and pass configuration from the command line, to force
a string value use '--set-string'. You can use '--set-file' to set individual
values from a file when the value itself is too long for the command line
or is dynamically generated. You can also use '--set-json' to set json values
(scalars/objects/arrays) from the command line. Additionally, you can use '--set-json' and passing json object as a string.

    $ helm install -f myvalues.yaml myredis ./redis

or

    $ helm install --set name=prod myredis ./redis

or

    $ helm install --set-string long_int=1234567890 myredis ./redis

or

    $ helm install --set-file my_script=dothings.sh myredis ./redis

or

    $ helm install --set-json 'master.sidecars=[{"name":"sidecar","image":"myImage","imagePullPolicy":"Always","ports":[{"name":"portname","containerPort":1234}]}]' myredis ./redis

or

    $ helm install --set-json '{"master":{"sidecars":[{"name":"sidecar","image":"myImage","imagePullPolicy":"Always","ports":[{"name":"portname","containerPort":1234}]}]}}' myredis ./redis

You can specify the '--values'/'-f' flag multiple times. The priority will be given to the
last (right-most) file specified. For example, if both myvalues.yaml and override.yaml
contained a key called 'Test', the value set in override.yaml would take precedence:

    $ helm install -f myvalues.yaml -f override.yaml  myredis ./redis

You can specify the '--set' flag multiple times. The priority will be given to the
last (right-most) set specified. For example, if both 'bar' and 'newbar' values are
set for a key called 'foo', the 'newbar' value would take precedence:

    $ helm install --set foo=bar --set foo=newbar  myredis ./redis

Similarly, in the following example 'foo' is set to '["four"]':

    $ helm install --set-json='foo=["one", "two", "three"]' --set-json='foo=["four"]' myredis ./redis

And in the following example, 'foo' is set to '{"key1":"value1","key2":"bar"}':

    $ helm install --set-json='foo={"key1":"value1","key2":"value2"}' --set-json='foo.key2="bar"' myredis ./redis

To check the generated manifests of a release without installing the chart,
the --debug and --dry-run flags can be combined.

The --dry-run flag will output all generated chart manifests, including Secrets
which can contain sensitive values. To hide Kubernetes Secrets use the
--hide-secret flag. Please carefully consider how and when these flags are used.

If --verify is set, the chart MUST have a provenance file, and the provenance
file MUST pass all verification steps.

There are six different ways you can express the chart you want to install:

1. By chart reference: helm install mymaria example/mariadb
2. By path to a packaged chart: helm install mynginx ./nginx-1.2.3.tgz
3. By path to an unpacked chart directory: helm install mynginx ./nginx
4. By absolute URL: helm install mynginx https://example.com/charts/nginx-1.2.3.tgz
5. By chart reference and repo url: helm install --repo https://example.com/charts/ mynginx nginx
6. By OCI registries: helm install mynginx --version 1.2.3 oci://example.com/charts/nginx

CHART REFERENCES

A chart reference is a convenient way of referencing a chart in a chart repository.

When you use a chart reference with a repo prefix ('example/mariadb'), Helm will look in the local
configuration for a chart repository named 'example', and will then look for a
chart in that repository whose name is 'mariadb'. It will install the latest stable version of that chart
until you specify '--devel' flag to also include development version (alpha, beta, and release candidate releases), or
supply a version number with the '--version' flag.

To see the list of chart repositories, use 'helm repo list'. To search for
charts in a repository, use 'helm search'.
`;

/** The command `helm install` (pkg/cmd/install.go). */
export const install: Command<HelmContext> = {
  use: 'install [NAME] [CHART]',
  long,
  checkArguments: argumentCount('at least', 1),
  exclusiveFlags: exclusiveForceFlags,
  flags: (context) => [...installFlags(context), hideSecretFlag(), dryRunFlag(), outputFlag, ...postRendererFlags()],
  async run(invocation) {
    const { flags, context } = invocation;
    const dryRun = dryRunMode(flags, context);
    const answer = await withPrefix('INSTALLATION FAILED', () => {
      const names = namesOf(invocation);
      return runInstall(
        names,
        { dryRun, serverSide: flags.isOn('server-side'), replace: flags.isOn('replace') },
        invocation,
      );
    });
    printDeployed(answer, flags, context);
  },
};

function namesOf({ args, flags, context }: Invocation<HelmContext>) {
  if (args.length > 2) {
    throw new Error(`expected at most two arguments, unexpected arguments: ${args.slice(2).join(', ')}`);
  }
  const name = { generateName: flags.isOn('generate-name'), nameTemplate: flags.text('name-template') };
  return nameAndChart(args, name, context);
}
