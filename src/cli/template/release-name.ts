import { functionMap } from '../../functions/function-map.ts';
import type { Host } from '../../go/host.ts';
import { checkReleaseName } from '../../operation/names.ts';
import { quote } from '../../go/strconv.ts';
import { Execution } from '../../template/execution.ts';
import { TemplateSet } from '../../template/template-set.ts';
import { logLine } from '../helm-log.ts';

const templateName = 'name-template';

/** Makes a release's name of a Go template, which may call Sprig's functions (pkg/action/install.go: TemplateName). Throws `GoError`. */
export function nameFromTemplate(text: string, host: Host): string {
  const templates = TemplateSet.parse([{ name: templateName, text }], {
    functions: functionMap(host),
    name: templateName,
  });
  return new Execution(templates, { missingKey: 'invalid' }).execute(templateName, null);
}

/** Refuses what is no name of a release, as `helm template` does. Throws `OperationError`. */
export function requireReleaseName(name: string, log: (line: string) => void): void {
  checkReleaseName(name, (problem) => {
    const text = `release name ${quote(name)}: ${problem}`;
    log(logLine('ERROR', 'release name check failed', { error: text }));
    return `release name check failed: ${text}`;
  });
}
