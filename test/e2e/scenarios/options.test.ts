import test from 'ava';
import { type ScenarioStep, useScenarios } from './scenario.ts';

/** Runs command lines by helm, by `ctl` and by packets, and compares everything that they leave. */
const equal = await useScenarios();

const compare = (...steps: ScenarioStep[]) => {
  const lines = steps.map((step) => (typeof step === 'object' && 'line' in step ? step.line : step));
  test(lines.join('; '), equal, { steps });
};

const install = 'install site @options --create-namespace';

compare(`${install} --set size=1000000,list={1,a},text=0x`);
compare(`${install} --set-json nested={"changed":[1,{"a":null}]} --set-string size=5 --skip-schema-validation`);
compare(`${install} --set-literal greeting=a,b=c --set drop=null`);
compare(`${install} --set size=3000000`);
compare(install, 'upgrade site @options --set size=7', 'upgrade site @options');
compare(`${install} --set greeting=a,size=2`, 'upgrade site @options --set size=7 --reuse-values');
compare(`${install} --set greeting=a,size=2`, 'upgrade site @options --set size=7 --reset-then-reuse-values');
compare(`${install} --set greeting=a,size=2`, 'upgrade site @options --set size=7 --reset-values --reuse-values');
compare(
  `${install} --set greeting=a,extra.a=1`,
  'upgrade site @options --reuse-values --set extra.a=null,drop=null',
  'upgrade site @options --reset-then-reuse-values --set greeting=null',
  'rollback site 1',
  'upgrade site @options --reuse-values --set-json extra=null',
);
compare(`${install} --set greeting=a`, 'upgrade site @options --reset-values');
compare(`${install} --set greeting=a`, 'upgrade site @options --set drop=null --reset-then-reuse-values');
compare(install, 'upgrade site @options --reuse-values --set nested.changed=b', 'upgrade site @options --reuse-values');
compare(`${install} -l team=a,tier=b`, 'upgrade site @options -l tier=null,stage=c', 'rollback site 1');
compare(`${install} -l owner=me`);
compare(install, 'upgrade site @options -l status=x');
compare(`${install} --hide-notes --description text`);
compare(`${install} --hide-secret`);
compare('install site @options --dry-run=client --hide-secret', 'install site @options --dry-run=client');
compare(install, 'upgrade site @options --dry-run=client', 'upgrade site @options --dry-run=server --hide-secret');
compare(install, 'install site @options');
compare(install, 'uninstall site --keep-history', 'install site @options', 'install site @options --replace');
compare(install, 'uninstall site --keep-history', 'upgrade site @options --install');
compare('upgrade site @options --install --create-namespace', 'upgrade site @options --install');
compare('upgrade site @options');
compare(install, 'uninstall site --dry-run', 'uninstall site --keep-history --description bye', 'uninstall site');
compare('uninstall site', 'uninstall site --ignore-not-found');
compare(install, 'uninstall site --cascade foreground --wait --no-hooks');
compare(install, 'uninstall site --keep-history', 'uninstall site --keep-history');
compare('install @options', 'install -g site @options', 'uninstall site --cascade none');
compare(
  { line: 'install --name-template si{{`te`}} @options --create-namespace', byPacket: install },
  'status site --revision 2',
);
compare(install, 'upgrade site @options', 'rollback site --dry-run=client', 'rollback site 9', 'rollback site');
compare(`${install} --set tests.enabled=true`, 'test site', 'get hooks site');
compare(`${install} --set tests.enabled=true`, 'test site --filter name=site-second --logs');
compare(`${install} --set tests.enabled=true`, 'test site --filter !name=site-first');
compare(install, 'test site', 'test none');
compare(`${install} --no-hooks --wait=hookOnly --timeout 30s`, 'upgrade site @options --wait=legacy --wait-for-jobs');
compare(`${install} --wait=true`, 'upgrade site @options --wait=false --rollback-on-failure=false');
compare(`${install} --wait=other`);
compare(`${install} --dry-run=other`);
compare(`${install} --server-side=false`, 'upgrade site @options --set size=2', 'rollback site');
compare(`${install} --disable-openapi-validation --devel`, 'upgrade site @options --install -o json');
compare(install, 'upgrade site @options --history-max 2', 'upgrade site @options --history-max 2', 'history site');
compare(`${install} -l a=1`, 'list -l a=1 -q', 'list -l a!=1 -q', 'get metadata site -o json');
compare(install, 'upgrade site @options --set size=9000000', 'history site --max 1', 'get values site -o json');
compare(install, 'uninstall site --keep-history', 'list -q', 'list -q --uninstalled', 'rollback site 1');
compare(install, 'uninstall site none', 'uninstall none site');
compare(
  install,
  'upgrade site @options --set-json {"size":5} --set-string size=6 --set size=7',
  'get values site --all',
);
compare(
  'install Bad_Name @options',
  'upgrade Bad_Name @options',
  'rollback Bad_Name',
  'uninstall Bad_Name',
  'test Bad_Name',
);
compare(install, 'upgrade site @options --create-namespace --description x', 'rollback site 1 --history-max 1');
