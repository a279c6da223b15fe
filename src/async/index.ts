export { abortable, abortReason, unlessAborted, whenAborted } from './abort.ts';
export { limitedTime } from './limited-time.ts';
export { ChangeNotice, Notice } from './notice.ts';
export { retry } from './retry.ts';
export { Semaphore } from './semaphore.ts';
export { maxTimerMs, sleep } from './sleep.ts';
