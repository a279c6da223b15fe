import type { CommandAnswers } from '../../protocol/commands/index.ts';
import type { Result } from '../../protocol/messages.ts';
import { Code } from '../parts/code.tsx';
import type { ListedCommand } from '../server/types.ts';
import { foreignLines } from '../text/foreign-text.ts';
import { maskedManifest, maskedValues } from '../text/masked.ts';
import { DifferenceList } from './difference-list.tsx';
import { PlanResult } from './plan-result.tsx';
import { ResourceList } from './resource-list.tsx';

/** The longest result that is shown, in lines. */
const maxResultLines = 2000;

/** The result of a command that has succeeded. */
export function CommandResultView({ command, result }: { command: ListedCommand; result: Result & { ok: true } }) {
  // the control plane has validated the fields of each type
  if (command.type === 'plan_release') {
    return <PlanResult agentId={command.agentId} plan={result as unknown as CommandAnswers['plan_release']} />;
  }
  if (command.type === 'diff_release') {
    const { differences, unchanged } = result as unknown as CommandAnswers['diff_release'];
    return (
      <section>
        <h2>Differences</h2>
        <DifferenceList differences={differences} unchanged={unchanged} />
      </section>
    );
  }
  if (command.type === 'release_status') {
    const { resources } = result as unknown as CommandAnswers['release_status'];
    return <ResourceList resources={resources} />;
  }
  return (
    <section>
      <h2>Result</h2>
      <Code label="Result" lines={resultLines(result)} />
    </section>
  );
}

/** Returns the fields of a result as lines, without its manifests, and with secrets masked. */
function resultLines({ ok: _ok, ...fields }: Result & { ok: true }): string[] {
  const lines: string[] = [];
  const texts = Object.entries(fields).filter(([, value]) => typeof value === 'string' && value.includes('\n'));
  const others = Object.fromEntries(Object.entries(fields).filter((entry) => !texts.includes(entry)));
  const json = JSON.stringify(maskedValues(others), withoutLongTexts, 2);
  if (json !== '{}') lines.push(...foreignLines(json, { maxLines: maxResultLines, maxLine: 2000 }));
  for (const [name, value] of texts) {
    lines.push(`${name}:`, ...maskedManifest(foreignLines(String(value), { maxLines: maxResultLines, maxLine: 2000 })));
  }
  return lines;
}

/** Leaves out manifests, hooks and the files of charts, which have views of their own. */
function withoutLongTexts(name: string, value: unknown): unknown {
  return name === 'manifest' || name === 'hooks' || name === 'files' ? '…' : value;
}
