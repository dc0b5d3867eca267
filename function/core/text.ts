/** Longest text of somebody else's error that a condition repeats, in characters. */
const CAUSE_LIMIT = 320;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed here
const CONTROL = /\u001b\[[0-9;?]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Somebody else's error text as one bounded line. */
export function oneLine(text: string, limit = CAUSE_LIMIT): string {
  const line = text.replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim().toWellFormed();
  if (line.length <= limit) return line;
  return `${line
    .slice(0, limit - 1)
    .toWellFormed()
    .replaceAll('\ufffd', '')
    .trimEnd()}…`;
}

/** Up to three items and how many more there are, sorted. */
export function someOf(items: readonly string[], limit = 3): string {
  const sorted = [...items].sort();
  if (sorted.length <= limit) return sorted.join(', ');
  return `${sorted.slice(0, limit).join(', ')} and ${sorted.length - limit} more`;
}
