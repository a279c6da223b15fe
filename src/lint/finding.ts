type Severity = 'INFO' | 'WARNING' | 'ERROR';

/** A problem of a chart. */
export interface Finding {
  severity: Severity;
  /** File or folder of the chart that has the problem. */
  path: string;
  text: string;
}

/** Records the problem that a rule found; `undefined` means none. Returns true if there is none. */
export type Report = (severity: Severity, path: string, problem: string | undefined) => boolean;

/** Returns a report function and the list that it fills. */
export function collectFindings(): { findings: Finding[]; report: Report } {
  const findings: Finding[] = [];
  return {
    findings,
    report(severity, path, text) {
      if (text !== undefined) findings.push({ severity, path, text });
      return text === undefined;
    },
  };
}

/** Returns a finding as Helm prints it. */
export function findingLine({ severity, path, text }: Finding): string {
  return `[${severity}] ${path}: ${text}\n`;
}
