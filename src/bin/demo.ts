// Shows the main job on one machine, with a cluster (the sandbox or a real one), a control plane
// and an agent: installs a chart from an HTTP repository, then upgrades it to an image that does
// not exist, which fails at once and is rolled back. With --fleet, it shows rollouts over simulated
// agents instead.
import { parseArgs } from 'node:util';
import { messageOf } from '../errors/index.ts';
import { runDemo } from './demo/run-demo.ts';

const usage = `Usage: npm run demo -- [--chart NAME] [--kubeconfig FILE --image REF | --fleet [--agents N]] [--keep]

  --chart NAME       chart in examples/charts: web, or nunjucks-web, which is written for Nunjucks (default: web)
  --kubeconfig FILE  use this cluster instead of the sandbox
  --image REF        image of a web server that the nodes of the cluster can run
  --fleet            show rollouts over the sandbox and simulated agents
  --agents N         number of simulated agents of the fleet, 1 to 1000 (default: 200)
  --keep             keep everything running until Ctrl-C, to try more commands

Examples:
  npm run demo
  npm run demo -- --chart nunjucks-web
  npm run demo -- --fleet
  npm run demo -- --keep
  npm run demo -- --kubeconfig ~/.kube/config --image nginx:1
`;

try {
  const { values } = parseArgs({
    options: {
      chart: { type: 'string' },
      kubeconfig: { type: 'string' },
      image: { type: 'string' },
      fleet: { type: 'boolean', default: false },
      agents: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  else process.exitCode = await runDemo(values);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n\n${usage}`);
  process.exitCode = 1;
}
