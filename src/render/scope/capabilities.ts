import { GoObject, Slice, type GoFunction, type Value } from '../../go/value.ts';

/** What the templates of a release are told about the cluster and about Helm: the input of `.Capabilities`. */
export interface Capabilities {
  kubeVersion: KubeVersion;
  /** `group/version`, from a live cluster also `group/version/Kind`. */
  apiVersions: readonly string[];
  /** What `.Capabilities.HelmVersion` says. */
  helmVersion: HelmVersion;
}

export interface KubeVersion {
  /** As the server or the user said it, with a leading v: `v1.33.4-gke.1`. */
  version: string;
  /** Without suffixes, for version ranges: `v1.33.4`. */
  normalized: string;
  major: string;
  minor: string;
}

export interface HelmVersion {
  version: string;
  gitCommit: string;
  gitTreeState: string;
  goVersion: string;
  kubeClientVersion: string;
}

/** The Helm whose behaviour is kept. */
export const defaultHelmVersion: HelmVersion = {
  version: 'v4.2.4',
  gitCommit: '',
  gitTreeState: '',
  goVersion: 'go1.26.0',
  kubeClientVersion: 'v1.36',
};

/** The Kubernetes version of Helm 4.2.4 where neither a cluster nor the user says one. */
export const defaultKubeVersion = 'v1.36.0';

/**
 * Reads a Kubernetes version as `--kube-version` takes it: at least two numbers, then anything.
 * Texts of errors: k8s.io/apimachinery/pkg/util/version.
 */
export function parseKubeVersion(text: string): KubeVersion {
  const numbers = /^\s*v?([0-9]+(?:\.[0-9]+)*)/.exec(text)?.[1];
  if (numbers === undefined) throw new KubeVersionError(`could not parse ${JSON.stringify(text)} as version`);
  const parts = numbers.split('.');
  const [major = '', minor] = parts;
  if (minor === undefined) throw new KubeVersionError(`illegal version string ${JSON.stringify(text)}`);
  if (major.length > 1 && major.startsWith('0')) {
    throw new KubeVersionError(`illegal zero-prefixed version component "${major}" in ${JSON.stringify(text)}`);
  }
  const components = parts.map((part) => BigInt(part).toString());
  return {
    version: text.startsWith('v') ? text : `v${text}`,
    normalized: `v${components.join('.')}`,
    major: BigInt(major).toString(),
    minor: BigInt(minor).toString(),
  };
}

class KubeVersionError extends Error {
  override readonly name = 'KubeVersionError';
  readonly code = 'kube_version_invalid';
}

/** `.Capabilities` as templates see it. */
export function capabilitiesObject(capabilities: Capabilities): GoObject {
  return new CapabilitiesObject(capabilities);
}

class CapabilitiesObject extends GoObject {
  readonly goType = '*common.Capabilities';
  readonly kind = 'ptr';
  readonly #fields: ReadonlyMap<string, Value>;

  constructor({ kubeVersion, apiVersions, helmVersion }: Capabilities) {
    super();
    this.#fields = new Map<string, Value>([
      ['KubeVersion', new KubeVersionObject(kubeVersion)],
      ['APIVersions', new VersionSet(apiVersions)],
      ['HelmVersion', new BuildInfo(helmVersion)],
    ]);
  }

  override field(name: string): Value | undefined {
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

class BuildInfo extends GoObject {
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
