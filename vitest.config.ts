import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: {
    alias: { jsonpath: fileURLToPath(new URL('function/sdk/jsonpath.ts', import.meta.url)) },
  },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**'],
    reporters: ['default', ['json', { outputFile: '.artifacts/test-results.json' }]],
    testTimeout: 30_000,
  },
});
