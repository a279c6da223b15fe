import test from 'ava';
import { imageProblem } from '../../src/readiness/image-problem.ts';

/** Messages of the kubelet 1.35 with containerd 1.6, and of other runtimes. */
const rows: [reason: string, message: string, code: string | undefined][] = [
  [
    'ErrImagePull',
    'rpc error: code = NotFound desc = failed to pull and unpack image "127.0.0.1:5055/missing:1": failed to resolve reference "127.0.0.1:5055/missing:1": 127.0.0.1:5055/missing:1: not found',
    'image_not_found',
  ],
  [
    'ImagePullBackOff',
    'Back-off pulling image "127.0.0.1:5055/busy:1": ErrImagePull: failed to pull and unpack image "127.0.0.1:5055/busy:1": failed to resolve reference "127.0.0.1:5055/busy:1": pulling from host 127.0.0.1:5055 failed with status code [manifests 1]: 429 Too Many Requests',
    'registry_unavailable',
  ],
  [
    'ErrImagePull',
    'rpc error: code = Unknown desc = failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/a/manifests/sha256:0: 429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit.',
    'registry_unavailable',
  ],
  ['ErrImagePull', 'failed with status code [manifests 1]: 503 Service Unavailable', 'registry_unavailable'],
  ['ErrImagePull', 'dial tcp 10.0.0.1:443: i/o timeout', 'registry_unavailable'],
  ['ErrImagePull', 'failed with status code [manifests 1]: 401 Unauthorized', 'image_denied'],
  ['ErrImagePull', 'failed with status code [manifests 1]: 403 Forbidden', 'image_denied'],
  [
    'ErrImagePull',
    'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    'image_denied',
  ],
  ['ErrImagePull', 'dial tcp: lookup registry.invalid on 10.255.255.53:53: no such host', 'image_pull_failed'],
  ['ErrImagePull', 'dial tcp 127.0.0.1:80: connect: connection refused', 'image_pull_failed'],
  ['ErrImageNeverPull', 'Container image "localhost/missing:1" is not present', 'image_never_pulled'],
  ['InvalidImageName', "couldn't parse image name", 'image_name_invalid'],
  ['CreateContainerConfigError', 'secret "x" not found', undefined],
  ['CrashLoopBackOff', 'back-off 10s restarting failed container', undefined],
];

for (const [reason, message, code] of rows) {
  test(`${reason}, ${message.slice(-60)} is ${code ?? 'no problem of an image'}`, (t) => {
    t.is<string | undefined, string | undefined>(imageProblem(reason, message), code);
  });
}
