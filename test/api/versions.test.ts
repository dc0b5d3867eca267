import { describe, expect, test } from 'vitest';
import { parseDuration } from '../../function/api/durations.ts';
import { isVersionRange, satisfies } from '../../function/api/versions.ts';

describe('a version range', () => {
  test.each([
    ['6.0.22', '>=6.0.20 <7', true],
    ['6.0.19', '>=6.0.20 <7', false],
    ['7.0.0', '>=6.0.20 <7', false],
    ['7.0.0-rc.1', '>=6.0.20 <7', false],
    ['6.0.22', '^6.0.20', true],
    ['6.1.0', '~6.0.20', false],
    ['6.0.22', '6.x', true],
    ['6.0.22', '5.0.0 || 6.0.22', true],
    ['6.0.22', '6.0.22', true],
    ['6.0.22', '*', true],
    ['6.1.0-rc.1', '>=6.0.20', true],
    ['6.0.20-rc.1', '>=6.0.20', false],
    ['06.0.22', '6.x', false],
    ['6.0.22', 'six', false],
    ['six', '*', false],
  ])('%s is in %s: %s', (version, range, inside) => {
    expect(satisfies(version, range)).toBe(inside);
  });

  test.each([
    ['>=6.0.20 <7', true],
    ['^6', true],
    ['1.2.3 - 2', true],
    ['', false],
    ['six', false],
    ['>=6.0.20 <', false],
  ])('%j is one: %s', (range, is) => {
    expect(isVersionRange(range)).toBe(is);
  });
});

describe('a duration', () => {
  test.each([
    ['90s', 90],
    ['1h30m', 5400],
    ['1h0m30s', 3630],
    ['1.5h', 5400],
    ['1.1h', 3960],
    ['100ms', 0.1],
    ['1µs', 1e-6],
    ['0s', 0],
    ['8760h', 31_536_000],
    ['', undefined],
    ['0', undefined],
    ['90', undefined],
    ['s', undefined],
    ['-1s', undefined],
    ['1s ', undefined],
    ['1d', undefined],
    ['1 s', undefined],
  ])('%j is %s seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });
});
