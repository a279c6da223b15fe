import test from 'ava';
import { helmHome } from './support/helm-home.ts';

// printed by `helm version --template TEMPLATE` of helm 4.2.4, but for the versions
const templates: readonly (readonly [template: string, stdout: string, problem?: string])[] = [
  ['{{.Version}} {{.KubeClientVersion}}', 'v4.2.4 v1.36'],
  ['{{.}} {{printf "%T" .}}', '{v4.2.4   go1.26.8 v1.36} version.BuildInfo'],
  ['{{.Nope}}', '', '_:1:2: executing "_" at <.Nope>: can\'t evaluate field Nope in type version.BuildInfo'],
  ['a{{.Version.x}}', 'a', '_:1:11: executing "_" at <.Version.x>: can\'t evaluate field x in type string'],
  [
    '{{range $i,$e := .}}{{end}}',
    '',
    '_:1:17: executing "_" at <.>: range can\'t iterate over {v4.2.4   go1.26.8 v1.36}',
  ],
  [
    '{{index . "Version"}}',
    '',
    '_:1:2: executing "_" at <index . "Version">: error calling index: can\'t index item of type version.BuildInfo',
  ],
];

for (const [template, stdout, problem] of templates) {
  test(`version --template ${JSON.stringify(template)} is executed with a struct, as in helm`, async (t) => {
    const { helm } = await helmHome(t);
    const stderr = problem === undefined ? '' : `Error: template: ${problem}\n`;
    t.deepEqual(await helm('version', '--template', template), { code: problem === undefined ? 0 : 1, stdout, stderr });
  });
}
