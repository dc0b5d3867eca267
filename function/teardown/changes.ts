/** Says something only when it is not what was said last. */
export interface Changes {
  readonly say: (text: string, how: () => void) => void;
  /** Forgets what was said last; whether there was something. */
  readonly clear: () => boolean;
}

export function createChanges(): Changes {
  let last: string | undefined;
  return {
    say(text, how) {
      if (text === last) return;
      last = text;
      how();
    },
    clear() {
      const wasSaid = last !== undefined;
      last = undefined;
      return wasSaid;
    },
  };
}
