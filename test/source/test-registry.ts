import type { ExecutionContext } from 'ava';
import { serve, sha256, type TestRepository, type TestResponse } from './test-repository.ts';

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const layerType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

interface TestRegistry extends TestRepository {
  /** `host:port` */
  host: string;
  /** The digest of a tag's manifest. */
  digests: Record<string, string>;
  /** All responses by path, to add others. */
  responses: Record<string, TestResponse>;
}

/**
 * Starts a registry on the loopback interface with one chart, `team/web`, given as archives by tag.
 * With `password`, it requires a token, which the user `joe` gets for that password. With
 * `swapped`, its archives do not match its manifests. With `provenance`, its charts have this
 * signature.
 */
export async function serveRegistry(
  t: ExecutionContext,
  archives: Record<string, Buffer>,
  {
    password,
    pageSize = 100,
    swapped = false,
    provenance,
  }: { password?: string; pageSize?: number; swapped?: boolean; provenance?: Buffer } = {},
): Promise<TestRegistry> {
  const responses: Record<string, TestResponse> = {};
  const digests: Record<string, string> = {};
  const registry = await serve(t, responses);
  const tags = Object.keys(archives).sort();
  const guarded =
    (body: TestResponse): TestResponse =>
    (request, response) => {
      if (password !== undefined && request.headers.authorization !== 'Bearer open') {
        const challenge = `Bearer realm="${registry.url}/token",service="registry"`;
        response.writeHead(401, { 'www-authenticate': challenge }).end();
      } else if (typeof body === 'function') body(request, response);
      else response.end(body);
    };
  responses['/v2/'] = guarded('{}');
  responses['/token'] = (request, response) => {
    const basic = `Basic ${Buffer.from(`joe:${password ?? ''}`).toString('base64')}`;
    if (request.headers.authorization !== basic) response.writeHead(401).end();
    else response.end(JSON.stringify({ token: 'open' }));
  };
  responses['/v2/team/web/tags/list'] = guarded((request, response) => {
    const last = new URL(request.url ?? '', registry.url).searchParams.get('last') ?? '';
    const page = tags.filter((tag) => tag > last).slice(0, pageSize);
    response.end(JSON.stringify({ name: 'team/web', tags: page }));
  });
  for (const [tag, archive] of Object.entries(archives)) {
    const layer = { mediaType: layerType, digest: `sha256:${sha256(archive)}`, size: archive.length };
    const signature = provenance && {
      mediaType: 'application/vnd.cncf.helm.chart.provenance.v1.prov',
      digest: `sha256:${sha256(provenance)}`,
      size: provenance.length,
    };
    const config = {
      mediaType: 'application/vnd.cncf.helm.config.v1+json',
      digest: `sha256:${sha256(Buffer.from('{}'))}`,
      size: 2,
    };
    const manifest = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: manifestType,
        config,
        layers: [layer, ...(signature ? [signature] : [])],
      }),
    );
    const digest = `sha256:${sha256(manifest)}`;
    digests[tag] = digest;
    for (const name of [tag, digest]) {
      responses[`/v2/team/web/manifests/${name}`] = guarded((_, response) => {
        response
          .writeHead(200, {
            'content-type': manifestType,
            'docker-content-digest': digest,
            'content-length': manifest.length,
          })
          .end(manifest);
      });
    }
    responses[`/v2/team/web/blobs/${layer.digest}`] = guarded(swapped ? 'something else' : archive);
    responses[`/v2/team/web/blobs/${config.digest}`] = guarded('{}');
    if (provenance && signature) responses[`/v2/team/web/blobs/${signature.digest}`] = guarded(provenance);
  }
  return { ...registry, host: new URL(registry.url).host, digests, responses };
}
