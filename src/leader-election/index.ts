export { defaultElectionTimes, electionTimesProblem, type ElectionTimes } from './election-times.ts';
export { LeaseElector, type ElectionClock, type Elector } from './elector.ts';
export { LeaseLostError } from './lease-lost-error.ts';
export type { Term } from './term.ts';
