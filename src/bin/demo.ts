// The main job on one machine: a cluster (the sandbox, or a real one), a control plane and an agent; a chart is installed from an HTTP repository, an upgrade to an
// image that cannot be pulled fails and is rolled back.
import { parseArgs } from 'node:util';
import { runDemo } from './demo/run-demo.ts';

const usage = `Usage: npm run demo -- [--chart NAME] [--kubeconfig FILE --image REF] [--keep]

  --chart NAME       the chart of examples/charts: web, or nunjucks-web, the same in Nunjucks instead of Go templates (default: web)
  --kubeconfig FILE  work on this cluster instead of the sandbox
  --image REF        the web server's image, which the cluster's nodes can run
  --keep             leave everything running until Ctrl-C

Examples:
  npm run demo
  npm run demo -- --chart nunjucks-web
  npm run demo -- --keep
  npm run demo -- --kubeconfig ~/.kube/config --image nginx:1
`;

try {
  const { values } = parseArgs({
    options: {
      chart: { type: 'string' },
      kubeconfig: { type: 'string' },
      image: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) process.stdout.write(usage);
  else process.exitCode = await runDemo(values);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 1;
}
