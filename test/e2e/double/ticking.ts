/** A part that is played for as long as a test runs: looked at again and again, never twice at once. */
export abstract class Ticking {
  readonly #pauseMs: number;
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> = Promise.resolve();

  constructor(pauseMs: number) {
    this.#pauseMs = pauseMs;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#work = this.#work.then(() => this.tick().catch(() => undefined));
    }, this.#pauseMs);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }

  /** Once over everything there is; what fails is tried again at the next look. */
  protected abstract tick(): Promise<void>;
}
