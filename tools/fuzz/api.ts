// Sends requests that schemathesis derives from the OpenAPI document to a control plane:
// `npm run fuzz:api [OPTIONS OF SCHEMATHESIS]`, with schemathesis on PATH.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ControlPlane } from '../../src/control-plane/index.ts';

const apiToken = 'fuzz';

/** They do not end. */
const endless = ['streamResults', 'streamAudit'];

const plane = new ControlPlane({ apiToken, insecure: true, registeredAgents: () => ['edge-1'] });
const port = await plane.listen(0);
const arguments_ = [
  ...['--config-file', fileURLToPath(new URL('schemathesis.toml', import.meta.url))],
  ...['run', `http://127.0.0.1:${port}/api/openapi.json`, '--header', `Authorization: Bearer ${apiToken}`],
  ...endless.flatMap((name) => ['--exclude-operation-id', name]),
  ...['--request-timeout', '10', '--max-examples', '50', '--no-color'],
  ...process.argv.slice(2),
];
const fuzzer = spawn('schemathesis', arguments_, { stdio: 'inherit' });
try {
  const [code] = (await once(fuzzer, 'exit')) as [number | null]; // as Node documents it
  process.exitCode = code ?? 1;
} catch {
  console.error('schemathesis cannot be started: install it with pip, and add it to PATH');
  process.exitCode = 1;
} finally {
  await plane.close();
}
