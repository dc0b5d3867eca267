import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'node_modules/**'],
    reporters: ['default', ['json', { outputFile: '.artifacts/test-results.json' }]],
    testTimeout: 30_000,
  },
});
