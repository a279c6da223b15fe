import type { Release } from '../../src/release/release.ts';
import type { ReleaseStatus } from '../../src/release/status.ts';

export function sampleRelease(name: string, version: number, status: ReleaseStatus, namespace = 'default'): Release {
  return {
    name,
    namespace,
    version,
    info: { status, description: 'Install complete', first_deployed: '2024-01-02T03:04:05.6Z' },
    chart: {
      metadata: { name: 'mini', version: '0.1.0' },
      lock: null,
      templates: [],
      values: { replicas: 2 },
      schema: null,
      files: [],
    },
    config: { answer: 42 },
    manifest: '---\n# Source: mini/templates/config.yaml\nkind: ConfigMap\n',
  };
}
