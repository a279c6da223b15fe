import { messageOf } from '../../errors/index.ts';
import { hasClusterErrorCode } from '../../objects/cluster-error.ts';
import { fieldAt, listAt, objectAt, objectsAt, stringAt } from '../../objects/fields.ts';
import type { KubeObject } from '../../objects/object.ts';
import { conditionOf } from '../../readiness/index.ts';
import { operationOf } from '../command-operation.ts';
import type { OperationContext } from '../context.ts';
import type { AnswerOf, RequestOf } from '../request.ts';
import { checkNamespace } from '../steps/names.ts';

const maxNodes = 1000;
const maxNamespaces = 10_000;
const maxRules = 10_000;

const rolePrefix = 'node-role.kubernetes.io/';

type Answer = AnswerOf<'cluster_info'>;

/**
 * Returns what the agent knows of its cluster. What it may not read is left out, and `missing` says
 * why.
 */
export async function clusterInfo(
  context: OperationContext,
  { namespace }: RequestOf<'cluster_info'>,
): Promise<Answer> {
  checkNamespace(namespace);
  const { cluster, signal } = context;
  const missing: string[] = [];
  const attempt = async <Result>(read: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      if (hasClusterErrorCode(error, 'unreachable')) throw error;
      missing.push(messageOf(error));
      return undefined;
    }
  };
  const [{ version }, kinds, nodes, namespaces, review] = await Promise.all([
    cluster.recentCapabilities(signal),
    cluster.servedKinds(signal),
    attempt(() => cluster.list({ apiVersion: 'v1', kind: 'Node', most: maxNodes }, signal)),
    attempt(() =>
      cluster.list({ apiVersion: 'v1', kind: 'Namespace', metadataOnly: true, most: maxNamespaces }, signal),
    ),
    attempt(() => rightsIn(context, namespace)),
  ]);
  return {
    version: version.gitVersion,
    kinds: kinds.map(({ aliases: _, ...kind }) => kind),
    ...(nodes && { nodes: nodes.map(nodeOf) }),
    ...(namespaces && { namespaces: namespaces.map(({ metadata }) => metadata.name) }),
    ...(review && { rights: review.rights, rightsIncomplete: review.isIncomplete }),
    ...(missing.length > 0 && { missing }),
  };
}

/** Asks the API server what this account may do, which every account may ask. */
export async function rightsIn({ cluster, signal }: Pick<OperationContext, 'cluster' | 'signal'>, namespace: string) {
  const review = await cluster.create(
    {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SelfSubjectRulesReview',
      metadata: { name: '' },
      spec: { namespace },
    },
    { signal },
  );
  const rights = objectsAt(review, 'status', 'resourceRules')
    .slice(0, maxRules)
    .map((rule) => {
      const names = textsAt(rule, 'resourceNames');
      return {
        verbs: textsAt(rule, 'verbs'),
        groups: textsAt(rule, 'apiGroups'),
        resources: textsAt(rule, 'resources'),
        ...(names.length > 0 && { names }),
      };
    });
  return { rights, isIncomplete: fieldAt(review, 'status', 'incomplete') === true };
}

function textsAt(data: unknown, name: string): string[] {
  return listAt(data, name).filter((item) => typeof item === 'string');
}

function nodeOf(node: KubeObject): NonNullable<Answer['nodes']>[number] {
  const info = objectAt(node, 'status', 'nodeInfo');
  const [os, architecture] = [stringAt(info, 'osImage'), stringAt(info, 'architecture')];
  const labels = Object.keys(node.metadata.labels ?? {});
  return {
    name: node.metadata.name,
    ready: conditionOf(node, 'Ready', 'True') !== undefined,
    ...(fieldAt(node, 'spec', 'unschedulable') === true && { unschedulable: true }),
    roles: labels.filter((label) => label.startsWith(rolePrefix)).map((label) => label.slice(rolePrefix.length)),
    version: stringAt(info, 'kubeletVersion') ?? '',
    ...(os !== undefined && { os }),
    ...(architecture !== undefined && { architecture }),
    capacity: quantitiesAt(node, 'capacity'),
    allocatable: quantitiesAt(node, 'allocatable'),
  };
}

function quantitiesAt(node: KubeObject, name: string): Record<string, string> {
  const entries = Object.entries(objectAt(node, 'status', name)).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(entries);
}

export const operation = operationOf('cluster_info', {
  request: (payload) => payload,
  run: clusterInfo,
  answer: (answer) => answer,
});
