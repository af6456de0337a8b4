import { defineConfig } from 'vitest/config'

// Only for `npm run torture:citus`: these tests need a cluster whose workers they stop.
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.torture.ts'],
    isolate: false,
    fileParallelism: false,
    testTimeout: 30 * 60_000,
    hookTimeout: 5 * 60_000,
    expect: { poll: { timeout: 60_000, interval: 100 } },
  },
})
