// Writes helm-agent.yaml and the files in deploy/ that kubectl applies, from the charts in deploy/.
// Usage: npm run manifests
import { writeFile } from 'node:fs/promises';
import { manifests, renderManifest } from './chart-manifests.ts';

for (const manifest of manifests) await writeFile(manifest.file, await renderManifest(manifest));
