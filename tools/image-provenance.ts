/** The parts that an image is made from, as far as its build knows them. */
export interface ImageOrigin {
  /** Files of the program and their SHA-256, as hexadecimal digits. */
  files: Readonly<Record<string, string>>;
  /** SHA-256 of package-lock.json, which names all packages by their digests. */
  lockDigest: string;
  /** Image with Node, such as `docker.io/library/node@sha256:DIGEST`. */
  base: string;
  /** Commit that is built. Default: none is named. */
  revision?: string | undefined;
  version: string;
}

const source = 'https://github.com/helm-agent/helm-agent';

/**
 * Returns the provenance of an image: an in-toto statement with the predicate of SLSA. It has no
 * times, so that the same source gives the same statement.
 */
export function provenanceOf({ files, lockDigest, base, revision, version }: ImageOrigin): object {
  const [name = '', digest] = base.split('@sha256:');
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: Object.entries(files)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, sha256]) => ({ name: file, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: `${source}/blob/main/Dockerfile`,
        externalParameters: { base, version, ...(revision !== undefined && { revision }) },
        resolvedDependencies: [
          { uri: `git+${source}`, ...(revision !== undefined && { digest: { gitCommit: revision } }) },
          { uri: 'package-lock.json', digest: { sha256: lockDigest } },
          { uri: `oci://${name}`, ...(digest !== undefined && { digest: { sha256: digest } }) },
        ],
      },
      runDetails: { builder: { id: `${source}/blob/main/tools/image.ts` } },
    },
  };
}
