import { readFileSync } from 'node:fs';
import { readResults } from './results.mjs';

/** Prints for every promise of conformance.tsv whether a test of the last run proves it; --strict fails when one is broken. */
const rows = readFileSync(new URL('conformance.tsv', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => {
    const [id = '', given = ''] = line.split('\t');
    return { id, given };
  });
const results = readResults();
const known = new Set(rows.map(({ id }) => id));
const verdicts = rows.map(({ id, given }) => ({ id, given, verdict: verdictOf(id) }));

for (const { id, verdict, given } of verdicts) {
  const short = given.length > 90 ? `${given.slice(0, 89)}…` : given;
  process.stdout.write(`${id}  ${verdict.padEnd(7)}  ${short}\n`);
}
const count = (wanted) => verdicts.filter(({ verdict }) => verdict === wanted).length;
process.stdout.write(
  `\n${count('passing')} passing, ${count('failing')} failing, ${count('no test')} without a test\n`,
);

const strange = [...new Set(results.flatMap(({ name }) => idsOf(name)))].filter((id) => !known.has(id)).sort();
if (strange.length > 0) process.stdout.write(`Tests carry ids that are no promise: ${strange.join(', ')}\n`);
if (process.argv.includes('--strict') && (count('failing') > 0 || strange.length > 0)) process.exitCode = 1;

/** One failing test is enough to break a promise that others prove in part. */
function verdictOf(id) {
  const statuses = results.filter(({ name }) => idsOf(name).includes(id)).map(({ status }) => status);
  if (statuses.length === 0) return 'no test';
  return statuses.includes('failed') ? 'failing' : 'passing';
}

/** `[T07]` or `[T07, T09]` in the title of a test or of what it is in. */
function idsOf(name) {
  return [...name.matchAll(/\[([A-Z]\d\d(?:, ?[A-Z]\d\d)*)\]/g)].flatMap(([, ids]) => ids.split(/, ?/));
}
