/** What a command may use of the process it runs in. Only main.ts knows the real one. */
export interface Host {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** aborts when the process is asked to stop */
  readonly stop: AbortSignal;
  readonly print: (text: string) => void;
  /** one line for the person who started the command */
  readonly complain: (line: string) => void;
}

/** Runs with the arguments after the command's name and answers the exit code. */
export type Command = (args: readonly string[], host: Host) => Promise<number>;

export const ExitCode = { Ok: 0, Failed: 1, Usage: 2 } as const;

/** Resolves when the process is asked to stop. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
