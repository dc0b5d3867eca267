import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILES = ['../.artifacts/test-results.json', '../.artifacts/e2e-results.json'];

/**
 * Every test of the last runs, as { name, status }, where status is `passed` or `failed`. Both files have the shape of vitest's
 * JSON reporter: testResults[].assertionResults[]. What was skipped proves nothing and is left out.
 */
export function readResults() {
  return FILES.map((file) => fileURLToPath(new URL(file, import.meta.url)))
    .filter((file) => existsSync(file))
    .flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).testResults)
    .flatMap((file) => (file.assertionResults.length === 0 ? wholeFile(file) : file.assertionResults))
    .map((test) => ({ name: test.fullName, status: test.status }))
    .filter(({ status }) => status === 'passed' || status === 'failed');
}

/** A file that could not be loaded has no tests, and is a failure all the same. */
function wholeFile(file) {
  return file.status === 'failed' ? [{ fullName: file.name, status: 'failed' }] : [];
}

export function countResults(results) {
  const failed = results.filter(({ status }) => status === 'failed').length;
  return { passed: results.length - failed, failed };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { passed, failed } = countResults(readResults());
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
}
