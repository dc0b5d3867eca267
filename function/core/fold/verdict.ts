/** What one condition says. */
export interface Verdict {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

export const isTrue = (reason: string, message: string): Verdict => ({ status: 'True', reason, message });
export const isFalse = (reason: string, message: string): Verdict => ({ status: 'False', reason, message });
export const unknown = (reason: string, message: string): Verdict => ({ status: 'Unknown', reason, message });
