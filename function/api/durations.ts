/** Seconds per unit of Go's time.ParseDuration. */
const UNITS: Readonly<Record<string, number>> = { ns: 1e-9, us: 1e-6, µs: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3600 };

export const DURATION = '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$';
const WHOLE = new RegExp(DURATION, 'u');
const PART = /(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gu;

/** A duration as Go writes it, such as `90s` or `1h30m`, in seconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!WHOLE.test(text)) return undefined;
  const total = [...text.matchAll(PART)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (UNITS[unit] ?? Number.NaN),
    0,
  );
  // Decimal fractions such as 1.1h are not exact in binary; Go counts nanoseconds.
  return Math.round(total * 1e9) / 1e9;
}
