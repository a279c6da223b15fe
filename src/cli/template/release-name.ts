import { functionMap } from '../../functions/function-map.ts';
import type { Host } from '../../go/host.ts';
import { GoError, type GoFunction } from '../../go/value.ts';
import { checkReleaseName } from '../../operation/steps/names.ts';
import { quote } from '../../go/strconv.ts';
import { Execution } from '../../template/execute/execution.ts';
import { TemplateSet } from '../../template/template-set.ts';
import type { HelmLog } from '../helm-log.ts';

const templateName = 'name-template';

/** What a template of a name may see. */
export interface TemplateNameWorld {
  host: Host;
  env: Readonly<Record<string, string | undefined>>;
}

/** Helm's own functions, which a template of a name lacks. */
const ofHelm = /^(?:must)?(?:to|from)(?:Yaml|Toml)|^fromYamlArray$|^fromJsonArray$/;

/** Makes a release's name of a Go template, which may call Sprig's functions (pkg/action/install.go: TemplateName). Throws `GoError`. */
export function nameFromTemplate(text: string, { host, env }: TemplateNameWorld): string {
  const functions = new Map([
    ...[...functionMap(host)].filter(([name]) => !ofHelm.test(name)),
    ...Object.entries(environmentFunctions(env)),
  ]);
  const templates = TemplateSet.parse([{ name: templateName, text }], { functions, name: templateName });
  return new Execution(templates, { missingKey: 'invalid' }).execute(templateName, null);
}

/** Sprig's functions that Helm keeps from charts, and `fail` as it is outside of them. */
function environmentFunctions(env: TemplateNameWorld['env']): Record<string, GoFunction> {
  return {
    env: { params: ['string'], call: (name: string) => env[name] ?? '' },
    expandenv: {
      params: ['string'],
      call: (text: string) =>
        text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => env[braced ?? bare ?? ''] ?? ''),
    },
    fail: {
      params: ['string'],
      call: (message: string) => {
        throw new GoError(message);
      },
    },
  };
}

/** Refuses what is no name of a release, as `helm template` does. Throws `OperationError`. */
export function requireReleaseName(name: string, helm: HelmLog): void {
  checkReleaseName(name, (problem) => {
    const text = `release name ${quote(name)}: ${problem}`;
    helm.error('release name check failed', text);
    return `release name check failed: ${text}`;
  });
}
