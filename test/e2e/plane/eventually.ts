import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MS = 250;

/**
 * Asks again until the answer is neither undefined nor false and nothing throws, and returns it. After the time is over
 * the last error is thrown, so that it says what was expected and what there was.
 */
export async function eventually<T>(
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs: number,
): Promise<T> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const outcome = await attempt(ask);
    if ('value' in outcome) return outcome.value;
    if (performance.now() > end) throw outcome.error;
    await wait(PAUSE_MS);
  }
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

async function attempt<T>(ask: () => T | undefined | false | Promise<T | undefined | false>): Promise<Outcome<T>> {
  try {
    const value = await ask();
    if (value !== undefined && value !== false) return { value };
    return { error: new Error(`got no answer from ${ask.toString().slice(0, 200)}`) };
  } catch (error) {
    return { error };
  }
}
