export type { ChartReference, ReferredChart } from './chart-reference.ts';
export type { ChartPathOptions, ConnectionOptions, DependencyOptions, VerificationStrategy } from './context.ts';
export type { LoadedChart } from './load-chart.ts';
export { localChart, type LocatedChart } from './located-chart.ts';
export { pulledText, verificationText } from './helm-texts.ts';
export { chartListPath, indexPath, readCachedIndex } from './repository-cache.ts';

// Each of these functions loads its module when it is called: a command on a chart of this machine
// needs nothing of what downloads others.

// where a chart is
export const locateChart = onCall(async () => (await import('./locate-chart.ts')).locateChart);
export const referredChart = onCall(async () => (await import('./chart-reference.ts')).referredChart);

// charts of this machine
export const loadChart = onCall(async () => (await import('./load-chart.ts')).loadChart);
export const requireArchive = onCall(async () => (await import('./load-chart.ts')).requireArchive);
export const loadChartFiles = onCall(async () => (await import('./load-chart.ts')).loadChartFiles);
export const requireKnownFormat = onCall(async () => (await import('./load-chart.ts')).requireKnownFormat);
export const packageChart = onCall(async () => (await import('./package-chart.ts')).packageChart);
export const signPackage = onCall(async () => (await import('./package-chart.ts')).signPackage);
export const verifyChartFile = onCall(async () => (await import('./verify-chart.ts')).verifyChartFile);
export const readLimited = onCall(async () => (await import('./read-limited.ts')).readLimited);

// repositories and registries
export const connectToRegistry = onCall(async () => (await import('./connection.ts')).connectToRegistry);
export const pullChart = onCall(async () => (await import('./pull-chart.ts')).pullChart);
export const pushToRegistry = onCall(async () => (await import('./push-to-registry.ts')).pushToRegistry);
export const indexFolder = onCall(async () => (await import('./index-folder.ts')).indexFolder);
export const readIndexText = onCall(async () => (await import('./repository-index.ts')).readIndexText);
export const requireRepositoryUrl = onCall(async () => (await import('./repository-index.ts')).requireRepositoryUrl);
export const updateIndex = onCall(async () => (await import('./repository-index.ts')).updateIndex);
export const updateIndexes = onCall(async () => (await import('./repository-index.ts')).updateIndexes);

// dependencies
export const buildDependencies = onCall(
  async () => (await import('./dependency/build-dependencies.ts')).buildDependencies,
);
export const updateDependencies = onCall(
  async () => (await import('./dependency/update-dependencies.ts')).updateDependencies,
);
export const updateMissingDependencies = onCall(
  async () => (await import('./dependency/update-dependencies.ts')).updateMissingDependencies,
);
export const dependencyStatuses = onCall(
  async () => (await import('./dependency/list-dependencies.ts')).dependencyStatuses,
);
export const warnAboutOthers = onCall(async () => (await import('./dependency/list-dependencies.ts')).warnAboutOthers);

function onCall<Parameters extends readonly unknown[], Result>(
  load: () => Promise<(...args: Parameters) => Result | Promise<Result>>,
): (...args: Parameters) => Promise<Result> {
  return async (...args) => await (await load())(...args);
}
