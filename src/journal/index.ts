export { createClusterJournal } from './cluster/cluster-journal.ts';
export { clusterPlans } from './cluster/cluster-plans.ts';
export { SigningKey } from './cluster/signing-key.ts';
export { isJournalLost } from './journal-error.ts';
export type { Journal, UnfinishedCommand } from './journal.ts';
export { createMemoryJournal } from './memory.ts';
