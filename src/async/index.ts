export { abortable, abortReason, unlessAborted, whenAborted } from './abort.ts';
export { limitedTime } from './limited-time.ts';
export { ChangeNotice, Notice } from './notice.ts';
export { readUpTo } from './read-up-to.ts';
export { retry } from './retry.ts';
export { Semaphore } from './semaphore.ts';
export { maxTimerMs, sleep } from './sleep.ts';
