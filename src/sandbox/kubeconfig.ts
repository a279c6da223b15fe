/** A kubeconfig with a token, as JSON, which is YAML too. */
export function kubeconfigText(server: string, ca: string, token: string): string {
  const name = 'sandbox';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, namespace: 'default' } }],
    'current-context': name,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
