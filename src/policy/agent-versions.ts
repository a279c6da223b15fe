import { parseVersion } from '../go/semver.ts';
import { satisfies } from '../go/semver-constraint.ts';
import { refused } from './policy-error.ts';
import type { PolicyRule } from './policy-rules.ts';

type AgentRule = Pick<PolicyRule, 'name' | 'images' | 'agentVersions'>;

/** Whether a rule limits to which versions an agent may be upgraded: by a range or exact images. */
export function limitsAgentVersions({ images = [], agentVersions }: AgentRule): boolean {
  return agentVersions !== undefined || exactImages(images).length === images.length;
}

/**
 * Throws `PolicyError` unless an agent may be upgraded to an image, or to one that ends so. A
 * digest says no version, whatever tag is beside it, so the rule must name that image exactly.
 */
export function requireAgentImage(rule: AgentRule, image: string): void {
  const { images = [], agentVersions } = rule;
  const isExact = exactImages(images).some((exact) => (/^[:@]/.test(image) ? exact.endsWith(image) : exact === image));
  if (isExact || agentVersions === undefined) return;
  const [, tag] = /:([^:/@]+)$/.exec(image) ?? [];
  const isPinned = image.includes('@');
  if (!isPinned && tag !== undefined && isWithin(tag, agentVersions)) return;
  throw refused(
    rule,
    'agentVersions',
    `the version of the image ${JSON.stringify(image)} is not in ${agentVersions.text}`,
  );
}

/** Throws `PolicyError` unless an agent may be upgraded to a version of its chart. */
export function requireAgentChart(rule: AgentRule, version: string): void {
  const { agentVersions } = rule;
  if (agentVersions === undefined || isWithin(version, agentVersions)) return;
  throw refused(rule, 'agentVersions', `version ${version} of the chart is not in ${agentVersions.text}`);
}

function exactImages(images: readonly string[]): string[] {
  return images.filter((pattern) => !pattern.includes('*'));
}

function isWithin(version: string, { constraint }: NonNullable<AgentRule['agentVersions']>): boolean {
  try {
    return satisfies(parseVersion(version), constraint);
  } catch {
    return false; // such as `latest`
  }
}
