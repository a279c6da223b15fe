import test from 'ava';
import { agentValues, render, type RenderedObject } from '../support/deploy-charts.ts';

const identity = ({ kind, metadata: { namespace, name } }: RenderedObject) => `${kind} ${namespace ?? ''}/${name}`;
const account = (namespace: string) => ({ namespace, name: 'deployer' });

for (const [title, rights] of Object.entries<object>({
  'a namespace twice': { mode: 'namespaces', namespaces: ['shop', 'blog', 'shop'] },
  'the namespace of the release': { mode: 'namespaces', namespaces: ['shop', 'ns'] },
  'the namespace of the release twice': { mode: 'namespaces', namespaces: ['ns', 'ns'] },
  'an account twice': { mode: 'impersonation', accounts: [account('shop'), account('shop')] },
  'an account in the namespace of the release': { mode: 'impersonation', accounts: [account('ns'), account('shop')] },
})) {
  for (const fullnameOverride of ['', 'ns']) {
    test(`rights to ${title} give no object twice, with the name ${fullnameOverride || 'of the release'}`, async (t) => {
      const values = { ...agentValues, rights, fullnameOverride, selfUpgrade: { enabled: true } };
      const objects = await render('helm-agent', values);
      const names = objects.map(identity);
      t.deepEqual(names, [...new Set(names)]);
      const upgrade = objects.find(
        (one) => identity(one) === `Role ns/${fullnameOverride || 'demo-helm-agent'}-upgrade`,
      );
      t.truthy(upgrade?.rules?.some(({ resources }) => resources.includes('deployments')));
    });
  }
}
