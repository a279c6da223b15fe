import test from 'ava';
import { isBelowPrefix, parseImagePrefix, parseImageReference } from '../../../src/objects/images/image-reference.ts';
import { mirroredImage } from '../../../src/objects/images/rewrite-images.ts';

const digest = `@sha256:${'a'.repeat(64)}`;

const reads = test.macro({
  title: (_, text: string) => `reads ${text.slice(0, 60)}`,
  exec(t, text: string, registry: string, repository: string, suffix = '') {
    t.deepEqual(parseImageReference(text), { registry, repository, suffix });
  },
});
test(reads, 'nginx', 'docker.io', 'library/nginx');
test(reads, 'nginx:1.27', 'docker.io', 'library/nginx', ':1.27');
test(reads, `nginx:1.27${digest}`, 'docker.io', 'library/nginx', `:1.27${digest}`);
test(reads, `nginx${digest}`, 'docker.io', 'library/nginx', digest);
test(reads, 'bitnami/redis:7', 'docker.io', 'bitnami/redis', ':7');
test(reads, 'docker.io/nginx', 'docker.io', 'library/nginx');
test(reads, 'index.docker.io/library/nginx', 'docker.io', 'library/nginx');
test(reads, 'registry-1.docker.io/a/b', 'docker.io', 'a/b');
test(reads, 'ghcr.io/team/app:v1', 'ghcr.io', 'team/app', ':v1');
test(reads, 'GHCR.io/team/app', 'ghcr.io', 'team/app');
test(reads, 'ghcr.io:443/team/app', 'ghcr.io', 'team/app');
test(reads, 'registry.internal:5000/app:2', 'registry.internal:5000', 'app', ':2');
test(reads, 'localhost/app:1', 'localhost', 'app', ':1');
test(reads, 'localhost:5000/app', 'localhost:5000', 'app');
test(reads, '[::1]:5000/app', '[::1]:5000', 'app');
test(reads, 'a__b/c-d.e/f--g', 'docker.io', 'a__b/c-d.e/f--g');

const refuses = test.macro({
  title: (_, text: string) => `${JSON.stringify(text.slice(0, 60))} is no image`,
  exec(t, text: string) {
    t.is(parseImageReference(text), undefined);
  },
});
test(refuses, '');
test(refuses, 'Nginx');
test(refuses, 'https://ghcr.io/a');
test(refuses, 'user@ghcr.io/a');
test(refuses, 'user:password@ghcr.io/a');
test(refuses, 'ghcr.io@evil.com/a');
test(refuses, 'ghcr.io/a@sha256:123');
test(refuses, `ghcr.io/a${digest}${digest}`);
test(refuses, 'ghcr.io./a');
test(refuses, 'ghcr..io/a');
test(refuses, '-ghcr.io/a');
test(refuses, 'ghcr.io//a');
test(refuses, 'ghcr.io/../a');
test(refuses, 'ghcr.io/a/');
test(refuses, 'ghcr.io/a:');
test(refuses, 'ghcr.io/a:b:c');
test(refuses, 'ghcr.io:x/a');
test(refuses, 'ghcr.io/a b');
test(refuses, 'ghcr.io/a\n');
test(refuses, 'ghcr.io/%61');
test(refuses, `ghcr.io/a:${'b'.repeat(129)}`);
test(refuses, `ghcr.io/${'a/'.repeat(1_000_000)}a`);
test(refuses, 'a-'.repeat(500_000));

test('prefixes need a host', (t) => {
  t.deepEqual(parseImagePrefix('docker.io'), { registry: 'docker.io' });
  t.deepEqual(parseImagePrefix('ghcr.io/team'), { registry: 'ghcr.io', repository: 'team' });
  for (const text of ['team', 'team/app', 'ghcr.io/', 'ghcr.io/*', 'ghcr.io/a:1', `ghcr.io/a${digest}`]) {
    t.is(parseImagePrefix(text), undefined, text);
  }
});

test('only whole parts of a host and a path are below a prefix', (t) => {
  const isBelow = (image: string, prefix: string) => {
    const [reference, parsed] = [parseImageReference(image), parseImagePrefix(prefix)];
    return reference !== undefined && parsed !== undefined && isBelowPrefix(reference, parsed);
  };
  t.true(isBelow('ghcr.io/team/app', 'ghcr.io'));
  t.true(isBelow('ghcr.io/team/app', 'ghcr.io/team'));
  t.true(isBelow('ghcr.io/team/app', 'ghcr.io/team/app'));
  t.false(isBelow('ghcr.io.evil.com/team/app', 'ghcr.io'));
  t.false(isBelow('ghcr.io:5000/team/app', 'ghcr.io'));
  t.false(isBelow('evil.ghcr.io/team/app', 'ghcr.io'));
  t.false(isBelow('ghcr.io/team-evil/app', 'ghcr.io/team'));
  t.false(isBelow('evil.com/ghcr.io/team/app', 'ghcr.io'));
  t.false(isBelow('ghcr.io/team', 'ghcr.io/team/app'));
});

const mirrors = [
  ['docker.io', 'registry.internal/hub'],
  ['docker.io/bitnami', 'registry.internal:5000/bitnami'],
  ['ghcr.io/team', 'registry.internal/team'],
  ['quay.io', 'other.internal'],
].map(([from = '', to = '']) => ({ from: parseImagePrefix(from) ?? { registry: '' }, to }));

const replaces = test.macro({
  title: (_, image: string, mirrored: string | undefined) => `${image.slice(0, 60)} becomes ${mirrored ?? 'no other'}`,
  exec(t, image: string, mirrored: string | undefined) {
    t.is(mirroredImage(image, mirrors), mirrored);
    if (mirrored !== undefined) t.is(mirroredImage(mirrored, mirrors), undefined, 'once is enough');
  },
});
test(replaces, 'nginx', 'registry.internal/hub/library/nginx');
test(replaces, `nginx:1${digest}`, `registry.internal/hub/library/nginx:1${digest}`);
test(replaces, 'bitnami/redis:7', 'registry.internal:5000/bitnami/redis:7');
test(replaces, 'bitnami-evil/redis:7', 'registry.internal/hub/bitnami-evil/redis:7');
test(replaces, 'ghcr.io/team/app:1', 'registry.internal/team/app:1');
test(replaces, 'ghcr.io/team', 'registry.internal/team');
test(replaces, 'ghcr.io/other/app', undefined);
test(replaces, 'quay.io/a/b', 'other.internal/a/b');
test(replaces, 'quay.io.evil.com/a/b', undefined);
test(replaces, 'x@quay.io/a/b', undefined);
