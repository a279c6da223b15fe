import type { Access, AccessReviewer } from '../objects/access.ts';
import { isKubeError, isUnserved } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** Most namespaces, and most single rights, that the API server is asked about. */
const maxReviews = 20;

const api = '/apis/authorization.k8s.io/v1';

/** A rule as a SelfSubjectRulesReview has it. */
interface Rule {
  verbs: string[];
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
}

/**
 * Returns a reviewer for the user of a transport. It reads all rules of a namespace with one
 * request. It asks about single rights only if a kind has no namespace, or no rule gives the right,
 * which an authorizer without rules may give.
 */
export function createAccessReviewer(transport: Transport): AccessReviewer {
  async function review<Status>(kind: string, spec: object, signal: AbortSignal): Promise<Status | undefined> {
    const body = { apiVersion: 'authorization.k8s.io/v1', kind, spec };
    const path = `${api}/${kind.toLowerCase()}s`;
    try {
      const answer = await transport.json({ method: 'POST', path, body, idempotent: true, signal });
      return (answer as { status?: Status }).status; // defined by the API
    } catch (error) {
      // the API server decides about the requests themselves, too
      if (isKubeError(error, 'forbidden') || isUnserved(error)) return undefined;
      throw error;
    }
  }

  async function rulesOf(namespace: string, signal: AbortSignal): Promise<readonly Rule[] | undefined> {
    const status = await review<{ resourceRules?: Rule[] }>('SelfSubjectRulesReview', { namespace }, signal);
    return status?.resourceRules;
  }

  async function isDenied({ verb, group, resource, namespace, name }: Access, signal: AbortSignal): Promise<boolean> {
    const resourceAttributes = { verb, group, resource, namespace, name };
    const status = await review<{ allowed?: boolean }>('SelfSubjectAccessReview', { resourceAttributes }, signal);
    return status?.allowed === false;
  }

  return {
    async missing(wanted, signal) {
      const namespaces = [...new Set(wanted.flatMap(({ namespace }) => namespace ?? []))].slice(0, maxReviews);
      const rules = new Map(
        await Promise.all(namespaces.map(async (namespace) => [namespace, await rulesOf(namespace, signal)] as const)),
      );
      const open = wanted.filter((access) => {
        if (access.namespace === undefined) return true;
        const known = rules.get(access.namespace);
        return known !== undefined && !known.some((rule) => gives(rule, access));
      });
      const asked = [...new Map(open.map((access) => [JSON.stringify({ ...access, name: '' }), access])).values()];
      const first = asked.slice(0, maxReviews);
      const denied = await Promise.all(first.map((access) => isDenied(access, signal)));
      return first.filter((_, index) => denied[index]);
    },
  };
}

function gives({ verbs, apiGroups = [], resources = [], resourceNames = [] }: Rule, access: Access): boolean {
  const has = (values: readonly string[], value: string) => values.includes('*') || values.includes(value);
  if (!has(verbs, access.verb) || !has(apiGroups, access.group) || !has(resources, access.resource)) return false;
  return resourceNames.length === 0 || (access.name !== undefined && resourceNames.includes(access.name));
}
