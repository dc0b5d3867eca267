import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createTeardownMetrics } from '../../function/teardown/metrics.ts';

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const DOCS = ['README.md', 'docs/conditions.md', 'docs/runbook.md'];

/** As GitHub makes them of headings. */
function anchors(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

test('every alert of the runbook is on a metric that the controller has', async () => {
  const served = await createTeardownMetrics(
    () => [],
    () => 0,
  ).text();
  const names = [...read('docs/runbook.md').matchAll(/\bteardown_\w+/g)].map(([name]) => name);
  expect(names.length).toBeGreaterThan(4);
  for (const name of names) expect(served).toContain(`# TYPE ${name} `);
});

test('every reason that a deletion gives is in the list of conditions, and failures are in the runbook', () => {
  const reasons = [
    ...['function/core/teardown/verdicts.ts', 'function/core/teardown/index.ts'].flatMap((file) => [
      ...read(file).matchAll(/'((?:[A-Z][a-z]+)+(?:Failed|Held|Cleanup|Deleting))'/g),
    ]),
  ].map(([, reason = '']) => reason);
  expect(reasons).toEqual(expect.arrayContaining(['TargetDeleteFailed', 'TeardownHeld', 'WaitingForStorageCleanup']));
  for (const reason of new Set(reasons)) {
    expect(read('docs/conditions.md')).toContain(`\`${reason}\``);
    expect(anchors(read('docs/runbook.md'))).toContain(reason.toLowerCase());
  }
});

test.each(DOCS)('every link of %s leads somewhere', (name) => {
  const folder = name.replace(/[^/]*$/, '');
  const links = [...read(name).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
  for (const [, path = '', anchor] of links) {
    const target = path === '' ? name : `${folder}${path}`;
    if (anchor !== undefined) expect(anchors(read(target))).toContain(anchor);
    else expect([target, existsSync(new URL(`../../${target}`, import.meta.url))]).toEqual([target, true]);
  }
});
