import { type GoFunction, GoObject, Slice, type Value } from '../../go/value.ts';
import { RenderError } from '../render-error.ts';
import type { HelmVersion } from './helm-version.ts';

/** The cluster and the Helm version as templates see them in `.Capabilities`. */
export interface Capabilities {
  kubeVersion: KubeVersion;
  /** List of `group/version`; from a live cluster also `group/version/Kind`. */
  apiVersions: readonly string[];
  /** Value of `.Capabilities.HelmVersion`. */
  helmVersion: HelmVersion;
  /**
   * Called when a template, or the chart's `kubeVersion`, reads the version or the API versions of
   * the cluster. Default: no call.
   */
  onRead?: () => void;
}

/** Capabilities as a cluster reports them or a user gives them. */
export interface ReportedCapabilities {
  version: { gitVersion: string; major?: string; minor?: string };
  /** List of `group/version` and `group/version/Kind`. */
  apiVersions: readonly string[];
  /** Default: the version that the renderer was created with. */
  helmVersion?: HelmVersion;
}

export interface KubeVersion {
  /** Version given by the server or the user, with a leading v: `v1.33.4-gke.1`. */
  version: string;
  /** Version without suffixes, for version ranges: `v1.33.4`. */
  normalized: string;
  major: string;
  minor: string;
}

/** Kubernetes version that Helm 4.2.4 uses if neither a cluster nor the user gives one. */
export const defaultKubeVersion = 'v1.36.0';

/**
 * Parses a Kubernetes version as `--kube-version` does: at least two numbers, then any text. Throws
 * RenderError (`kube_version_invalid`). Error texts: k8s.io/apimachinery/pkg/util/version.
 */
export function parseKubeVersion(text: string): KubeVersion {
  const numbers = /^\s*v?([0-9]+(?:\.[0-9]+)*)/.exec(text)?.[1];
  if (numbers === undefined) throw invalidVersion(`could not parse ${JSON.stringify(text)} as version`);
  const parts = numbers.split('.');
  const [major = '', minor] = parts;
  if (minor === undefined) throw invalidVersion(`illegal version string ${JSON.stringify(text)}`);
  if (major.length > 1 && major.startsWith('0')) {
    throw invalidVersion(`illegal zero-prefixed version component "${major}" in ${JSON.stringify(text)}`);
  }
  const components = parts.map((part) => BigInt(part).toString());
  return {
    version: text.startsWith('v') ? text : `v${text}`,
    normalized: `v${components.join('.')}`,
    major: BigInt(major).toString(),
    minor: BigInt(minor).toString(),
  };
}

function invalidVersion(message: string): RenderError {
  return new RenderError('kube_version_invalid', message);
}

/**
 * Returns the capabilities of a render from those that a cluster reports. Throws
 * `kube_version_invalid`.
 */
export function resolveCapabilities(
  { version, apiVersions, helmVersion }: ReportedCapabilities,
  defaultHelm: HelmVersion,
): Capabilities {
  const parsed = parseKubeVersion(version.gitVersion);
  return {
    kubeVersion: {
      version: version.gitVersion,
      normalized: parsed.normalized,
      major: version.major ?? parsed.major,
      minor: version.minor ?? parsed.minor,
    },
    apiVersions,
    helmVersion: helmVersion ?? defaultHelm,
  };
}

/** Returns the value of `.Capabilities`. */
export function capabilitiesObject(capabilities: Capabilities): GoObject {
  return new CapabilitiesObject(capabilities);
}

class CapabilitiesObject extends GoObject {
  readonly goType = '*common.Capabilities';
  readonly kind = 'ptr';
  readonly #fields: ReadonlyMap<string, Value>;

  readonly #onRead: (() => void) | undefined;

  constructor({ kubeVersion, apiVersions, helmVersion, onRead }: Capabilities) {
    super();
    this.#onRead = onRead;
    this.#fields = new Map<string, Value>([
      ['KubeVersion', new KubeVersionObject(kubeVersion)],
      ['APIVersions', new VersionSet(apiVersions)],
      ['HelmVersion', new BuildInfo(helmVersion)],
    ]);
  }

  override field(name: string): Value | undefined {
    if (name !== 'HelmVersion') this.#onRead?.();
    return this.#fields.get(name);
  }

  override fields(): readonly string[] {
    return [...this.#fields.keys()];
  }

  override method(name: string): GoFunction | undefined {
    return name === 'Copy' ? { params: [], call: () => this } : undefined;
  }
}

class KubeVersionObject extends GoObject {
  readonly goType = 'common.KubeVersion';
  readonly kind = 'struct';
  readonly #version: KubeVersion;

  constructor(version: KubeVersion) {
    super();
    this.#version = version;
  }

  override field(name: string): Value | undefined {
    switch (name) {
      case 'Version':
        return this.#version.version;
      case 'Major':
        return this.#version.major;
      case 'Minor':
        return this.#version.minor;
      default:
        return undefined;
    }
  }

  override fields(): readonly string[] {
    return ['Version', 'Major', 'Minor'];
  }

  override members(): readonly (readonly [string, Value])[] {
    const { version, normalized, major, minor } = this.#version;
    return [
      ['Version', version],
      ['normalizedVersion', normalized],
      ['Major', major],
      ['Minor', minor],
    ];
  }

  override method(name: string): GoFunction | undefined {
    if (name === 'String') return { params: [], call: () => this.#version.normalized };
    if (name === 'GitVersion') return { params: [], call: () => this.#version.version };
    return undefined;
  }

  override addressedText(): string {
    return this.#version.normalized;
  }
}

class VersionSet extends GoObject {
  readonly goType = 'common.VersionSet';
  readonly kind = 'slice';
  readonly #list: Slice;
  readonly #known: ReadonlySet<string>;

  constructor(versions: readonly string[]) {
    super();
    this.#list = new Slice('string', versions);
    this.#known = new Set(versions);
  }

  override method(name: string): GoFunction | undefined {
    if (name !== 'Has') return undefined;
    return { params: ['string'], call: (version: string) => this.#known.has(version) };
  }

  override contents(): readonly Value[] {
    return this.#list;
  }

  override json(): Value {
    return this.#list;
  }
}

const buildInfoFields = [
  ['Version', 'version'],
  ['GitCommit', 'gitCommit'],
  ['GitTreeState', 'gitTreeState'],
  ['GoVersion', 'goVersion'],
  ['KubeClientVersion', 'kubeClientVersion'],
] as const;

const buildInfoJson = [
  ['version', 'version'],
  ['git_commit', 'gitCommit'],
  ['git_tree_state', 'gitTreeState'],
  ['go_version', 'goVersion'],
] as const;

/** Go's `version.BuildInfo`. */
export class BuildInfo extends GoObject {
  readonly goType = 'version.BuildInfo';
  readonly kind = 'struct';
  readonly #version: HelmVersion;

  constructor(version: HelmVersion) {
    super();
    this.#version = version;
  }

  override field(name: string): Value | undefined {
    const entry = buildInfoFields.find(([field]) => field === name);
    return entry && this.#version[entry[1]];
  }

  override fields(): readonly string[] {
    return buildInfoFields.map(([field]) => field);
  }

  override jsonMembers(): readonly (readonly [string, Value])[] {
    const members = buildInfoJson.filter(([, property]) => this.#version[property] !== '');
    return [
      ...members.map(([key, property]) => [key, this.#version[property]] as const),
      ['kube_client_version', this.#version.kubeClientVersion],
    ];
  }
}
