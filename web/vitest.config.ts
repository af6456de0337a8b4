import { mergeConfig } from 'vite'
import { defineProject } from 'vitest/config'
import app from './vite.config.ts'

export default mergeConfig(
  app,
  defineProject({
    test: {
      name: 'web',
      include: ['{src,test}/**/*.test.{ts,tsx}'],
      environment: 'jsdom',
      setupFiles: './test/setup.ts',
      // test/setup.ts isolates the files; a process for each would take three times as long.
      isolate: false,
      unstubGlobals: true,
      // The same as elsewhere: these tests run alongside those of the server.
      maxWorkers: 3,
      testTimeout: 60_000,
      expect: { poll: { timeout: 20_000 } },
    },
  }),
)
