import type { KubeObject } from '../../objects/object.ts';
import { forbidden } from '../api-error.ts';
import { ensureObject, setDefault, stringAt } from '../../objects/fields.ts';
import type { ResourceType } from '../store/resource-type.ts';
import type { Store } from '../store/store.ts';

/**
 * Sets the service account of a new pod. Throws a 403 if it does not exist, unless it is the
 * default one, which every namespace gets.
 */
export function admitPod(store: Store, type: ResourceType, pod: KubeObject): void {
  const spec = ensureObject(pod, 'spec');
  const { namespace = '', name } = pod.metadata;
  const account = stringAt(spec, 'serviceAccountName') ?? stringAt(spec, 'serviceAccount') ?? 'default';
  setDefault(spec, 'serviceAccountName', account);
  setDefault(spec, 'serviceAccount', account);
  if (account === 'default' || store.get('/serviceaccounts', namespace, account)) return;
  const reason = `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`;
  throw forbidden({ ...type, name }, reason);
}
