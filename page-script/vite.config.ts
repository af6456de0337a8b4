import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, 'package.json'), 'utf8')) as { version: string }

/** One classic script without imports: a page on any site loads it with a single tag. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    // Browsers since 2020. Older ones ignore the script, and show the page's own texts.
    target: 'es2020',
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: join(import.meta.dirname, 'src/portico.ts'),
      output: { format: 'iife', entryFileNames: 'portico.js', postBanner: `/*! portico.js ${version} */` },
    },
  },
})
