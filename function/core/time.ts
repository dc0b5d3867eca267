/** Times inside the core are whole seconds since 1970; on the wire they are RFC 3339 in UTC without fractions. */

export function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

export function formatTime(time: number): string {
  return new Date(time * 1000).toISOString().replace('.000Z', 'Z');
}

/** undefined for anything that is no RFC 3339 date-time */
export function parseTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? undefined : seconds(milliseconds);
}

/** Doubling backoff: base, 2*base, 4*base, ... up to the cap. */
export function backoff(attempt: number, retry: { readonly base: number; readonly cap: number }): number {
  return Math.min(retry.cap, retry.base * 2 ** Math.min(attempt, 30));
}

/** `90` -> `1m30s`, as Go prints durations, without zero parts. */
export function formatDuration(duration: number): string {
  const hours = Math.floor(duration / 3600);
  const minutes = Math.floor((duration % 3600) / 60);
  const rest = duration % 60;
  const text = `${hours > 0 ? `${hours}h` : ''}${minutes > 0 ? `${minutes}m` : ''}${rest > 0 ? `${rest}s` : ''}`;
  return text === '' ? '0s' : text;
}
