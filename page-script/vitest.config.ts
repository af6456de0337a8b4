import { defineProject } from 'vitest/config'

export default defineProject({
  test: {
    name: 'page-script',
    include: ['{,src/}*.test.ts'],
    environment: 'jsdom',
    // The same as elsewhere, as machines that run tests are often busy.
    testTimeout: 60_000,
  },
})
