import { parseVersion } from '../go/semver.ts';
import { satisfies } from '../go/semver-constraint.ts';
import type { TimeRange } from '../objects/cluster.ts';
import { groupOf } from '../objects/group-kind.ts';
import type { ObjectTarget } from '../objects/object-target.ts';
import { matchesPattern } from '../protocol/pattern.ts';
import { describeScope, isSelected } from '../rights/command-selector.ts';
import { requireSignatures } from '../signatures/required-signatures.ts';
import { SignatureError } from '../signatures/signature-error.ts';
import type { VerifiedSignature } from '../signatures/statement.ts';
import type { TrustedKey } from '../signatures/trusted-keys.ts';
import { limitsAgentVersions, requireAgentChart, requireAgentImage } from './agent-versions.ts';
import type { ChartReference } from './chart-reference.ts';
import { type ChartSignaturePolicy, chartSignatures } from './chart-signatures.ts';
import type { CommandConditions } from './conditions/command-conditions.ts';
import { imagesOf } from './images.ts';
import { type MirrorLimits, mirrorsOf } from './mirrors.ts';
import { approversText, type PlanApprovals, planApprovals } from './plan-approvals.ts';
import { coversPlans, performingRules, ruleFor } from './planned-rules.ts';
import { denied, type PolicyError, refused } from './policy-error.ts';
import type { LookupScope, PolicyRule, PolicyRules } from './policy-rules.ts';
import type { ClusterTime, DecisionTime, PlannedCommand, PolicyScope } from './policy-scope.ts';
import {
  requireChartSize,
  requireObjectSizes,
  requireValuesSize,
  requireWrittenSize,
  type WrittenObject,
} from './sizes.ts';

/** The chart of a command. */
interface UsedChart {
  reference?: ChartReference | undefined;
  /** Undefined until the chart is loaded. */
  version?: string | undefined;
  /** Size of its files. Undefined until the chart is loaded. */
  bytes?: number | undefined;
}

/** The limits of one command. */
export interface CommandPolicy extends MirrorLimits {
  /** Name of the rule that the command is allowed by. Undefined for the default of the policy. */
  readonly rule: string | undefined;
  /** The policy itself, to be shown. Default: it cannot be. */
  readonly source?: { text: string; paused: string | undefined } | undefined;
  /** The signatures that the rule requires. Default: it requires none. */
  readonly signature?: VerifiedSignature<TrustedKey> | undefined;
  /** Throws `PolicyError` unless the chart may be used. Its version is known when it is loaded. */
  requireChart(chart: UsedChart): void;
  /** Throws `PolicyError` unless the object may be changed. `content` is what is sent of it. */
  requireChange(target: ObjectTarget, content: unknown): void;
  /** Throws `PolicyError` unless the number and the sizes of objects to write are allowed. */
  requireObjects(objects: readonly WrittenObject[]): void;
  /** Throws `PolicyError` unless an object that is written now may have its size. */
  requireWritten(object: WrittenObject): void;
  /** Throws `PolicyError` unless a release may have values of this size. */
  requireValues(values: object): void;
  /** Throws `PolicyError` unless the command may name a kind of objects to read. */
  requireRead(kind: TargetKind): void;
  /** Objects that templates may look up. Default: those that the agent allows. */
  readonly lookup: LookupScope | undefined;
  /**
   * Throws `PolicyError` unless templates may look up an object. `isOther` says whether it is in
   * another namespace than the release.
   */
  requireLookup(isOther: boolean, target: () => string): void;
  /**
   * Throws `PolicyError` if a rule refuses the command that a plan performs, or values with which
   * it was made. Default: none does.
   */
  requirePlanned?(type: PlannedCommand, options: object): void;
  /** The signatures that charts need. Default: those that the command asks for. */
  readonly chartSignatures?: ChartSignaturePolicy | undefined;
  /** Verifies approvals of plans. Default: there are none. */
  readonly approvals?: PlanApprovals | undefined;
  /** Undefined if the rule has no conditions. */
  readonly conditions?: CommandConditions | undefined;
}

/**
 * Returns what the policy allows a command: the limits of the first rule for it. Throws
 * `PolicyError` `denied_by_policy` with the name of the rule and the field that refuses it, and
 * `SignatureError` for a command without the signatures that the rule requires.
 */
export function decide(
  policy: PolicyRules,
  scope: PolicyScope,
  time: DecisionTime,
  clusterTime: ClusterTime = () => rangeOf(time),
): CommandPolicy {
  const { paused, rules, default: otherwise } = policy;
  const isChange = scope.changes || scope.right === 'exec'; // a program may change anything
  if (paused !== undefined && isChange) {
    throw denied(`the policy is paused: ${paused}; ${describeScope(scope)} was not performed`);
  }
  const rule = rules.find((known) => isSelected(known, scope));
  const isContinued = time === 'continued' || time.isAccepted === true;
  const now = clusterTime();
  const requirePlanned = (type: PlannedCommand, payload: object) => {
    const planned = ruleFor(rules, scope, type);
    requireNotDenied(planned);
    if (planned === undefined && otherwise === 'deny' && scope.type === 'apply_plan' && !coversPlans(rule)) {
      throw noRule({ ...scope, type });
    }
    for (const one of [rule, planned]) requireSources(one, { payload });
  };
  const performing = performingRules(rules, scope);
  const approving = { agentId: agentOf(scope), keys: policy.keys, rule, now, isContinued };
  if (rule?.deny === undefined) requireOwnersUpgrade(rule, scope);
  requireSigned(policy, rule, scope);
  if (rule === undefined) {
    const approvals = planApprovals({ ...approving, senders: [] });
    if (otherwise === 'allow') {
      for (const one of performing.all) requireGiven(one, scope);
      return {
        ...{ ...unlimited, ...mirrorsOf(policy), approvals, requirePlanned },
        ...readsWithin([unlimited, ...performing.all.map((one) => limitsOf(one, scope))]),
        chartSignatures: chartSignatures(policy, undefined),
      };
    }
    throw noRule(scope);
  }
  requireNotDenied(rule);
  if (time !== 'continued' && rule.windows !== undefined && isChange) {
    if (!rule.windows.some((isOpen) => isOpen(time.begins))) {
      throw refused(rule, 'windows', `${time.begins.toISOString()} is outside of them; send the command again later`);
    }
  }
  for (const one of [rule, ...performing.all]) requireGiven(one, scope);
  if (rule.approvedBy !== undefined && isChange && scope.type !== 'apply_plan') {
    const advice = `send it as plan_release, let the plan be approved, and send apply_plan`;
    throw new SignatureError(
      'approval_required',
      `rule ${rule.name} of the policy requires ${approversText(rule.approvedBy)}, so it allows changes only by plans: ${advice}`,
    );
  }
  const signature = signatureOf(policy, rule, scope, { isAccepted: isContinued, now });
  const approvals = planApprovals({ ...approving, senders: signature?.signers ?? [] });
  const ofCharts = chartSignatures(policy, rule);
  const own = limitsOf(rule, scope);
  const isLeftToAgent = performing.command !== undefined && performing.command.lookup === undefined;
  const limits = {
    ...own,
    ...readsWithin([own, ...performing.all.map((one) => limitsOf(one, scope))]),
    ...(isLeftToAgent && { lookup: undefined }),
    ...mirrorsOf(policy),
    signature,
    approvals,
    requirePlanned,
    chartSignatures: ofCharts,
  };
  if (scope.chart?.reference === 'manifests:') ofCharts.require(undefined); // nothing can sign them
  if (scope.chart !== undefined) limits.requireChart({ reference: scope.chart });
  return limits;
}

/**
 * Throws `SignatureError` for sealed values without a signature, if the policy has keys: the sender
 * of a command chooses the chart, which could show the values.
 */
function requireSigned({ keys }: PolicyRules, rule: PolicyRule | undefined, { payload, packet }: PolicyScope): void {
  // its schema has read it
  const { sealedValues, sealedCredentials } = payload as { sealedValues?: unknown; sealedCredentials?: unknown };
  if (sealedValues === undefined && sealedCredentials === undefined) return;
  if (keys.length === 0 || rule?.signedBy !== undefined || rule?.deny !== undefined || packet === 'unsent') return;
  const subject = rule === undefined ? 'the default of the policy' : `rule ${rule.name} of the policy`;
  throw new SignatureError(
    'signature_required',
    `${subject} requires no signature, but a policy with keys opens sealed values only for signed commands; let the owner of the cluster add a rule with signedBy`,
  );
}

/** Throws `PolicyError` unless the command may have the values that it brings or names. */
function requireGiven(rule: PolicyRule, scope: PolicyScope): void {
  requireSources(rule, scope);
  requireValuesSize(rule, givenValues(scope));
}

/** Returns the limits on what is read, which all of some limits have to allow. */
function readsWithin(all: readonly CommandPolicy[]): Pick<CommandPolicy, 'requireRead' | 'requireLookup'> {
  return {
    requireRead(kind) {
      for (const limits of all) limits.requireRead(kind);
    },
    requireLookup(isOther, target) {
      for (const limits of all) limits.requireLookup(isOther, target);
    },
  };
}

/** Throws `PolicyError` unless the command may take values from the objects that it names. */
function requireSources(rule: PolicyRule | undefined, { payload }: Pick<PolicyScope, 'payload'>): void {
  const { valuesFrom = [] } = payload as { valuesFrom?: readonly { kind: string; name: string }[] }; // its schema has read it
  for (const { kind, name } of valuesFrom) {
    const text = `${kind}/${name}`;
    if (rule?.valuesFrom !== undefined && !matches(rule.valuesFrom, text)) throw refused(rule, 'valuesFrom', text);
  }
}

/** Returns the values that a command brings. */
function givenValues({ payload }: PolicyScope): unknown {
  const { values, set = [], sealedValues = [] } = payload as Record<'values' | 'set' | 'sealedValues', unknown>; // its schema has read it
  return [values ?? '', set, sealedValues];
}

function noRule(scope: PolicyScope): PolicyError {
  return denied(`no rule of the policy is for ${describeScope(scope)}; let the owner of the cluster add one`);
}

/** Throws `PolicyError` if the rule for a command has a reason to refuse it. */
function requireNotDenied(rule: PolicyRule | undefined): void {
  if (rule?.deny !== undefined) throw denied(`rule ${rule.name} of the policy refuses it: ${rule.deny}`);
}

/** Returns when a decision is made, if that is known. */
function rangeOf(time: DecisionTime): TimeRange {
  if (time === 'continued') return { earliest: -Infinity, latest: Infinity };
  const begins = time.begins.getTime();
  return { earliest: begins, latest: begins };
}

/** Returns the agent that a command was sent to, as far as that is known. */
function agentOf({ packet }: PolicyScope): string {
  return typeof packet === 'object' ? packet.agentId : '';
}

/** Returns the signature that a rule requires. Throws `SignatureError`. */
function signatureOf(
  { keys }: PolicyRules,
  { name, signedBy }: PolicyRule,
  { packet }: PolicyScope,
  time: { isAccepted: boolean; now: TimeRange },
): VerifiedSignature<TrustedKey> | undefined {
  if (signedBy === undefined || packet === 'unsent') return undefined;
  return requireSignatures(packet, signedBy, { rule: `rule ${name} of the policy`, keys, ...time });
}

/**
 * Throws `PolicyError` for an upgrade of the agent that could change the policy itself: its values
 * are those of the owner, and its images, their versions and its chart need limits.
 */
function requireOwnersUpgrade(rule: PolicyRule | undefined, { type, payload, chart }: PolicyScope): void {
  if (type !== 'upgrade_agent') return;
  const { values, set, imageRepository = '', imageTag, imageDigest } = payload as UpgradePayload; // its schema has read it
  if (values !== undefined || (set !== undefined && set.length > 0)) {
    throw denied('the values of an agent with a policy are those of its owner; upgrade it with helm to change them');
  }
  const missing = [
    rule?.images === undefined ? 'images' : '',
    rule === undefined || !limitsAgentVersions(rule) ? 'agentVersions' : '',
    chart && rule?.charts === undefined ? 'charts' : '',
  ];
  const fields = missing.filter((field) => field !== '').join(' and ');
  if (fields === '' && rule !== undefined) {
    const end = imageDigest === undefined ? imageTag && `:${imageTag}` : `@${imageDigest}`;
    if (end === undefined) return; // the rendered image is compared
    const image = `${imageRepository}${end}`;
    requireAgentImage(rule, image);
    if (imageRepository !== '') requireImage(rule, image);
    return;
  }
  throw denied(`upgrade_agent needs a rule with ${fields}, so that no other program gets the rights of the agent`);
}

function requireImage(rule: PolicyRule, image: string, where = ''): void {
  const { images } = rule;
  if (images !== undefined && !matches(images, image))
    throw refused(rule, 'images', `${JSON.stringify(image)}${where}`);
}

interface UpgradePayload {
  values?: unknown;
  set?: readonly unknown[];
  imageRepository?: string;
  imageTag?: string;
  imageDigest?: string;
}

const unlimited: CommandPolicy = {
  rule: undefined,
  requireChart: () => undefined,
  requireChange: () => undefined,
  requireObjects: () => undefined,
  requireWritten: () => undefined,
  requireValues: () => undefined,
  requireRead: () => undefined,
  lookup: undefined,
  requireLookup: () => undefined,
};

/** The namespace of the release, in `objectNamespaces`. */
const ofRelease = 'release';

function limitsOf(rule: PolicyRule, { namespace: releaseNamespace, type }: PolicyScope): CommandPolicy {
  const { charts, versions, requireDigest = false, kinds, deniedKinds, objectNamespaces } = rule;
  const isAgent = type === 'upgrade_agent';
  const isOfRelease = objectNamespaces?.includes(ofRelease) === true;
  const otherNamespaces = objectNamespaces?.filter((pattern) => pattern !== ofRelease) ?? [];
  const requireImages = (content: unknown, target: ObjectTarget) => {
    if (rule.images === undefined) return;
    for (const image of imagesOf(content)) {
      if (isAgent) requireAgentImage(rule, image);
      requireImage(rule, image, ` of ${nameOf(target)}`);
    }
  };
  const requireChange = (target: ObjectTarget, content: unknown) => {
    const { namespace } = target;
    if (kinds !== undefined && !isAllowedKind(kinds, target)) throw refused(rule, 'kinds', nameOf(target));
    if (deniedKinds !== undefined && isDeniedKind(deniedKinds, target)) {
      throw refused(rule, 'deniedKinds', nameOf(target));
    }
    if (objectNamespaces !== undefined && namespace !== undefined) {
      if (!(namespace === releaseNamespace && isOfRelease) && !matches(otherNamespaces, namespace)) {
        throw refused(rule, 'objectNamespaces', `${nameOf(target)} in ${namespace}`);
      }
    }
    requireImages(content, target);
  };
  return {
    rule: rule.name,
    requireChart({ reference, version, bytes }) {
      if (charts !== undefined) {
        if (reference?.reference === undefined || !matches(charts, reference.reference)) {
          throw refused(rule, 'charts', JSON.stringify(reference?.reference ?? 'a chart without a plain URL'));
        }
        if (reference.hasDownloads) {
          throw refused(rule, 'charts', 'dependencyUpdate, which downloads from where the chart says');
        }
      }
      if (requireDigest && reference?.hasDigest !== true) throw refused(rule, 'requireDigest', 'no chartDigest');
      if (versions !== undefined && version !== undefined && !satisfies(parseVersion(version), versions.constraint)) {
        throw refused(rule, 'versions', `version ${version} is not in ${versions.text}`);
      }
      if (isAgent && version !== undefined) requireAgentChart(rule, version);
      if (bytes !== undefined) requireChartSize(rule, bytes);
    },
    requireChange,
    requireObjects: (objects) => {
      requireObjectSizes(rule, objects);
    },
    requireWritten: (object) => {
      requireWrittenSize(rule, object);
    },
    requireValues: (values) => {
      requireValuesSize(rule, values);
    },
    requireRead({ apiVersion, kind }) {
      const { readKinds, deniedReadKinds } = rule;
      const target = { apiVersion, kind };
      if (readKinds !== undefined && !isAllowedKind(readKinds, target)) throw refused(rule, 'readKinds', kind);
      if (deniedReadKinds !== undefined && isDeniedKind(deniedReadKinds, target)) {
        throw refused(rule, 'deniedReadKinds', kind);
      }
    },
    lookup: rule.lookup,
    requireLookup(isOther, target) {
      if (rule.lookup === 'none' || (rule.lookup === 'release' && isOther)) throw refused(rule, 'lookup', target());
    },
  };
}

function matches(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, text));
}

type TargetKind = Pick<ObjectTarget, 'apiVersion' | 'kind'>;

/** Whether patterns name a kind. A kind alone is that of Kubernetes. */
function isAllowedKind(patterns: readonly string[], { apiVersion, kind }: TargetKind): boolean {
  const group = groupOf(apiVersion);
  return matches(patterns, kindName(group, kind)) || (isBuiltIn(group) && matches(patterns, kind));
}

/** Whether patterns name a kind. A kind alone is that of each group. */
function isDeniedKind(patterns: readonly string[], { apiVersion, kind }: TargetKind): boolean {
  return matches(patterns, kindName(groupOf(apiVersion), kind)) || matches(patterns, kind);
}

function kindName(group: string, kind: string): string {
  return group === '' ? kind : `${kind}.${group}`;
}

/** Whether no custom resource can have the group. */
function isBuiltIn(group: string): boolean {
  return !group.includes('.') || group.endsWith('.k8s.io');
}

function nameOf({ kind, name }: ObjectTarget): string {
  return name === undefined || name === '' ? kind : `${kind} ${name}`;
}
