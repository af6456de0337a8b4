import { defineConfig } from 'vitest/config'

// Generous, as machines that run tests are often busy; a test that hangs still ends. On a cluster, creating a database
// and changing tables take several times as long (`npm run test:citus`).
const timeout = process.env['TEST_ON_CITUS'] ? 300_000 : 120_000

export default defineConfig({
  test: {
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: { poll: { timeout: timeout / 4 } },
    // One more than the cores of a small machine, as tests of jobs and processes also wait.
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'server',
          include: ['server/{src,test}/**/*.test.ts'],
          // Tests share state only in databases, and each file creates its own, so modules are loaded once.
          isolate: false,
          globalSetup: 'server/test/kit/global-setup.ts',
        },
      },
      {
        test: {
          name: 'domain',
          include: ['domain/src/**/*.test.ts'],
          isolate: false,
          provide: { isLong: process.env['PORTICO_LONG_TESTS'] !== undefined },
        },
      },
      { test: { name: 'contract', include: ['contract/src/**/*.test.ts'], isolate: false } },
      { test: { name: 'repository', include: ['*.test.ts', 'scripts/*.test.mjs'] } },
      './web/vitest.config.ts',
      './page-script/vitest.config.ts',
    ],
  },
})
