import { messageOf } from '../../../errors/index.ts';
import type { DownloadedChart } from '../download/download-chart.ts';

/** How the signature of a downloaded chart is used, in Helm's words. */
export type VerificationStrategy =
  /** It is not downloaded. */
  | 'never'
  /** It is downloaded and verified if there is one. */
  | 'if possible'
  /** It must be there, and valid. */
  | 'always'
  /** It is downloaded if there is one, and not verified. */
  | 'later';

/**
 * Downloads the signature of a chart (pkg/downloader/chart_downloader.go: DownloadTo). Returns
 * undefined if there is none and there need not be one; `warn` receives Helm's line about it.
 * Throws an error with Helm's text.
 */
export async function fetchProvenance(
  { provenance, provenanceUrl, reference }: Pick<DownloadedChart, 'provenance' | 'provenanceUrl' | 'reference'>,
  strategy: VerificationStrategy,
  warn: (line: string) => void,
): Promise<Uint8Array | undefined> {
  if (strategy === 'never') return undefined;
  try {
    return await provenance();
  } catch (cause) {
    if (strategy === 'always') throw new Error(`failed to fetch provenance "${provenanceUrl}"`, { cause });
    warn(`WARNING: Verification not found for ${reference}: ${messageOf(cause)}\n`);
    return undefined;
  }
}
