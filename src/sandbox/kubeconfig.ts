import { dump } from 'js-yaml';

/** Returns a kubeconfig (YAML) whose only context reaches `server` with a bearer token. */
export function kubeconfigText(server: string, ca: string, token: string): string {
  const name = 'sandbox';
  return dump(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
      users: [{ name, user: { token } }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
      'current-context': name,
    },
    { lineWidth: -1 },
  );
}
