import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { printYaml, readYaml } from '../../function/preview/yaml.ts';

function read(text: string): unknown {
  return readYaml(text).map(({ content }) => ('value' in content ? content.value : content.errors));
}

describe('YAML as kubectl reads it', () => {
  test.each([
    { text: '', value: null },
    { text: '~', value: null },
    { text: 'yes', value: true },
    { text: 'y', value: true },
    { text: 'off', value: false },
    { text: 'tRUE', value: 'tRUE' },
    { text: '0755', value: 493 },
    { text: '0o17', value: 15 },
    { text: '08', value: 8 },
    { text: '0X1F', value: 31 },
    { text: '-0b11', value: -3 },
    { text: '1_000', value: 1000 },
    { text: '12:30', value: '12:30' },
    { text: '2024-01-01T00:00:00Z', value: '2024-01-01T00:00:00Z' },
    { text: '1e3', value: 1000 },
    { text: 'e5', value: 'e5' },
    { text: '.5', value: 0.5 },
    { text: '.', value: '.' },
    { text: '1.0', value: 1 },
    { text: '6.0.17', value: '6.0.17' },
    { text: '"yes"', value: 'yes' },
    { text: '!!str 5', value: '5' },
    { text: '{a: 1, a.b: [1, ~]}', value: { a: 1, 'a.b': [1, null] } },
  ])('$text is $value', ({ text, value }) => {
    expect(read(`v: ${text}`)).toEqual([{ v: value }]);
  });

  test('documents are counted with those that are empty, which are left out', () => {
    expect(readYaml('---\na: 1\n---\n---\n# nothing\n---\nb: 2\n').map(({ number }) => number)).toEqual([1, 4]);
  });

  test('merge keys and aliases are written out', () => {
    expect(read('a: &a { x: 1 }\nb:\n  <<: *a\n  z: 2\n')).toEqual([{ a: { x: 1 }, b: { x: 1, z: 2 } }]);
  });

  test('aliases that grow without bound are an error', () => {
    const lines = Array.from({ length: 9 }, (_, index) => `a${index + 1}: &a${index + 1} [${`*a${index},`.repeat(9)}]`);
    expect(read(`a0: &a0 [x]\n${lines.join('\n')}\n`)).toEqual([
      [{ path: '', message: expect.stringMatching(/alias/i) }],
    ]);
  });

  test('what is printed is read back as it was', () => {
    const json = fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }));
    fc.assert(
      fc.property(json, (value) => {
        const plain = JSON.parse(JSON.stringify(value));
        expect(read(printYaml([plain]))).toEqual([plain]);
      }),
    );
  });
});
