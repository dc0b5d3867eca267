import { type Item, keyOf } from './item.ts';

/** How a pass over an instance ended, and at which version it saw the instance last. */
export type Outcome =
  /** the instance is gone */
  | { readonly next: 'forget' }
  /** something was done: look at once what is next */
  | { readonly next: 'again'; readonly seen: string | undefined }
  /** undefined: until the instance changes, or a long time has passed */
  | { readonly next: 'wait'; readonly seconds: number | undefined; readonly seen: string | undefined }
  | { readonly next: 'backoff'; readonly seen: string | undefined };

/** Never throws. */
export type Pass = () => Promise<Outcome>;

export interface QueueLimits {
  /** passes at the same time, of different instances */
  readonly concurrency: number;
  /** passes in a row without a pause, before they count as a failure */
  readonly burst: number;
  /** pause after a failure, doubling up to the cap; in milliseconds as all times here */
  readonly base: number;
  readonly cap: number;
  /** however soon a pass wants to be repeated */
  readonly shortestWait: number;
}

export interface Queue {
  /** An instance is there, or has changed. */
  readonly add: (item: Item, isNews?: boolean) => void;
  readonly remove: (item: Item) => void;
  /** Begins nothing more; resolves when what runs has ended. */
  readonly stop: () => Promise<void>;
}

/** One incarnation of an instance, with everything that is remembered of it. */
interface Task {
  readonly uid: string;
  readonly pass: Pass;
  state: 'ready' | 'running' | 'waiting';
  /** the version of what was told while it ran; empty for something that has to be looked at anyhow */
  news: string | undefined;
  seen: string | undefined;
  timer: NodeJS.Timeout | undefined;
  /** passes in a row without a pause */
  streak: number;
  failures: number;
  failedAt: number | undefined;
}

const ANYHOW = '';
/** Nothing should be missed; if something is, this is how long it stays so. In milliseconds. */
const LONGEST_WAIT = 3_600_000;

/** Works on instances, each by one pass at a time; `start` makes what does it. */
export function createQueue(start: (item: Item) => Pass, limits: QueueLimits): Queue {
  const tasks = new Map<string, Task>();
  const ready: [key: string, task: Task][] = [];
  const running = new Map<string, Promise<void>>();
  let stopped = false;

  const enqueue = (key: string, task: Task): void => {
    clearTimeout(task.timer);
    task.state = 'ready';
    ready.push([key, task]);
    pump();
  };

  const later = (key: string, task: Task, milliseconds: number): void => {
    clearTimeout(task.timer);
    task.state = 'waiting';
    if (!stopped) task.timer = setTimeout(() => enqueue(key, task), Math.min(milliseconds, LONGEST_WAIT));
  };

  /** Takes the longest waiting first. A key of which another incarnation is still worked on stays. */
  const pump = (): void => {
    while (!stopped && running.size < limits.concurrency) {
      const index = ready.findIndex(([key]) => !running.has(key));
      const [next] = index < 0 ? [] : ready.splice(index, 1);
      if (next === undefined) return;
      const [key, task] = next;
      if (tasks.get(key) === task) running.set(key, run(key, task));
    }
  };

  const run = async (key: string, task: Task): Promise<void> => {
    task.state = 'running';
    task.news = undefined;
    const outcome = await task.pass();
    running.delete(key);
    if (tasks.get(key) === task) settle(key, task, outcome);
    pump();
  };

  const settle = (key: string, task: Task, outcome: Outcome): void => {
    if (outcome.next === 'forget') {
      tasks.delete(key);
      return;
    }
    task.seen = outcome.seen;
    const isNews = task.news !== undefined && task.news !== task.seen;
    if (outcome.next === 'again' && ++task.streak < limits.burst) {
      enqueue(key, task);
    } else if (outcome.next === 'wait') {
      task.streak = 0;
      task.failures = 0;
      task.failedAt = undefined;
      if (isNews) enqueue(key, task);
      else if (outcome.seconds !== undefined) later(key, task, Math.max(limits.shortestWait, outcome.seconds * 1000));
      else later(key, task, LONGEST_WAIT);
    } else {
      task.streak = 0;
      task.failedAt = Date.now();
      const pause = Math.min(limits.cap, limits.base * 2 ** Math.min(task.failures++, 20));
      later(key, task, isNews ? limits.base : pause);
    }
  };

  /** Something is new: a task that waits does so no longer, one that failed at least for the shortest pause. */
  const wake = (key: string, task: Task): void => {
    if (task.failedAt === undefined) enqueue(key, task);
    else later(key, task, Math.max(0, task.failedAt + limits.base - Date.now()));
  };

  return {
    add(item, isNews = false) {
      if (stopped) return;
      const key = keyOf(item);
      const task = tasks.get(key);
      if (task === undefined || task.uid !== item.uid) {
        clearTimeout(task?.timer);
        const fresh = newTask(item, start(item));
        tasks.set(key, fresh);
        enqueue(key, fresh);
      } else if (task.state === 'running') {
        if (task.news !== ANYHOW) task.news = isNews ? ANYHOW : item.resourceVersion;
      } else if (task.state === 'waiting' && (isNews || item.resourceVersion !== task.seen)) {
        wake(key, task);
      }
    },
    remove(item) {
      const key = keyOf(item);
      const task = tasks.get(key);
      if (task?.uid !== item.uid) return;
      clearTimeout(task.timer);
      tasks.delete(key);
    },
    async stop() {
      stopped = true;
      for (const task of tasks.values()) clearTimeout(task.timer);
      await Promise.all(running.values());
    },
  };
}

function newTask({ uid }: Item, pass: Pass): Task {
  return {
    uid,
    pass,
    state: 'ready',
    news: undefined,
    seen: undefined,
    timer: undefined,
    streak: 0,
    failures: 0,
    failedAt: undefined,
  };
}
