import { functionMap } from '../../functions/function-map.ts';
import type { Host } from '../../go/host.ts';
import { quote } from '../../go/strconv.ts';
import { GoError, type GoFunction } from '../../go/value.ts';
import { checkReleaseName } from '../../operation/steps/names.ts';
import { Execution } from '../../template/execute/execution.ts';
import { TemplateSet } from '../../template/template-set.ts';
import type { HelmLog } from '../helm-log.ts';

const templateName = 'name-template';

/** The environment that the template of a name can read. */
export interface NameEnvironment {
  host: Host;
  env: Readonly<Record<string, string | undefined>>;
}

/** Helm's own functions, which are not available in the template of a name. */
const helmFunctions = /^(?:must)?(?:to|from)(?:Yaml|Toml)|^fromYamlArray$|^fromJsonArray$/;

/**
 * Returns the name of a release from a Go template, which may call Sprig's functions
 * (pkg/action/install.go: TemplateName). Throws `GoError`.
 */
export function nameFromTemplate(text: string, { host, env }: NameEnvironment): string {
  const functions = new Map([
    ...[...functionMap(host)].filter(([name]) => !helmFunctions.test(name)),
    ...Object.entries(environmentFunctions(env)),
  ]);
  const templates = TemplateSet.parse([{ name: templateName, text }], { functions, name: templateName });
  return new Execution(templates, { missingKey: 'invalid' }).execute(templateName, null);
}

/** Returns Sprig's functions that charts may not call in Helm, and Sprig's own `fail`. */
function environmentFunctions(env: NameEnvironment['env']): Record<string, GoFunction> {
  const variable = (name: string) => (Object.hasOwn(env, name) && env[name]) || '';
  return {
    env: { params: ['string'], call: variable },
    expandenv: {
      params: ['string'],
      call: (text: string) =>
        text.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => variable(braced ?? bare ?? '')),
    },
    fail: {
      params: ['string'],
      call: (message: string) => {
        throw new GoError(message);
      },
    },
  };
}

/** Refuses an invalid name of a release, as `helm template` does. Throws `OperationError`. */
export function requireReleaseName(name: string, helm: HelmLog): void {
  checkReleaseName(name, (problem) => {
    const text = `release name ${quote(name)}: ${problem}`;
    helm.error('release name check failed', text);
    return `release name check failed: ${text}`;
  });
}
