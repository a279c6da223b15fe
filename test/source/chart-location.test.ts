import test from 'ava';
import { chartLocation } from '../../src/source/chart-location.ts';

const at = test.macro<[name: string, repository: string, kind: ReturnType<typeof chartLocation>['kind']]>({
  exec(t, name, repository, kind) {
    t.is(chartLocation(name, repository).kind, kind);
  },
  title: (_, name, repository, kind) => `${name} ${repository === '' ? '' : `of ${repository} `}is a ${kind}`,
});

test(at, 'web', '', 'name');
test(at, './web', '', 'name');
test(at, 'C:/web', '', 'name');
test(at, 'stable/web', '', 'name');
test(at, 'https://charts.example/web-1.0.0.tgz', '', 'url');
test(at, 'oci://registry.example/web', '', 'registry');
test(at, 'OCI://registry.example/web', '', 'registry');
test(at, 'web', 'https://charts.example', 'repository');
test(at, 'web', 'oci://registry.example/charts', 'repository');
