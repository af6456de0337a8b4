import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import mantine from 'postcss-preset-mantine'
import { defineConfig, type Plugin } from 'vite'

/** Inlines the choice of light or dark into the page: as a file, it would delay the first paint. */
const inlineColorScheme: Plugin = {
  name: 'inline-color-scheme',
  transformIndexHtml: () => {
    const children = readFileSync(join(import.meta.dirname, 'color-scheme.js'), 'utf8')
    return [{ tag: 'script', children, injectTo: 'head-prepend' }]
  },
}

/** Requests the text's font together with the page instead of after the styles: no flash of another font. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const font = Object.keys(bundle).find((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
      if (!font) return []
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: true }
      return [{ tag: 'link', attrs, injectTo: 'head' }]
    },
  },
}

/** Below this size, a compressed file is hardly smaller than its headers. */
const compressFromBytes = 1024

/** Writes `.br` and `.gz` next to scripts and styles: smaller than the server could compress them during a request. */
const precompress: Plugin = {
  name: 'precompress',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    const files = Object.values(bundle).map((file) => ({
      path: join(dir, file.fileName),
      bytes: Buffer.from(file.type === 'chunk' ? file.code : file.source),
    }))
    const worthIt = files.filter(({ path, bytes }) => /\.(js|css)$/.test(path) && bytes.length >= compressFromBytes)
    await Promise.all(
      worthIt.flatMap(({ path, bytes }) => [
        promisify(brotliCompress)(bytes).then((compressed) => writeFile(`${path}.br`, compressed)),
        promisify(gzip)(bytes, { level: 9 }).then((compressed) => writeFile(`${path}.gz`, compressed)),
      ]),
    )
  },
}

/**
 * Files shared by several screens; a module goes to the first group that matches. A list needs a hundred shared
 * modules, each of which would otherwise be a request. The home page and the sign-in page load only the small groups
 * and the schemas.
 */
const groups = [
  // The whole first load: compressed together it is smaller than in many pieces.
  { name: 'shell', tags: ['$initial' as const] },
  { name: 'icons', test: /\/icons\//, minShareCount: 2 },
  // Submitting belongs to the forms, of which the home page has none.
  {
    name: 'calls',
    test: /web\/src\/(lib\/(?!submit)|ui\/page\/deferred)|useMutation|domain\/src\/(filter-limits|field-types|event-fields|pipeline\/match-json)\.ts/,
    minShareCount: 2,
  },
  {
    name: 'inputs',
    test: /@mantine\/(hooks|core\/esm\/(core|components\/(Input|InputBase|TextInput)))\//,
    minShareCount: 2,
  },
  // The schemas use both, but the code that draws a dashboard loads without the schemas.
  { name: 'messages', test: /contract\/src\/messages\.ts/ },
  {
    name: 'pipeline',
    test: /domain\/src\/pipeline\/(pipeline|pipeline-json|condition-json|grouping|search-rows|terms)\.ts/,
  },
  { name: 'schemas', test: /node_modules\/zod\/|contract\/src\/(contacts|filter|identities|imports|indexes)\.ts/ },
  { name: 'forms', test: /web\/src\/lib\/submit\.ts/ },
  { name: 'overlays', test: /core\/esm\/components\/(Tooltip|Combobox)\// },
  { name: 'dialogs', test: /core\/esm\/components\/Modal\// },
  { name: 'filters', test: /web\/src\/domain\/filters\/(stages\/|filter-queries)/, minShareCount: 2 },
  // Shared code that every open dashboard loads.
  {
    name: 'cells',
    test: /contract\/src\/dashboards\/(dashboard-(cells|limits)|chart-defaults|interaction-reading)\.ts|domain\/src\/(days|decimals|pipeline\/periods|dashboards\/(date-part-words|time-places))\.ts|web\/src\/domain\/charts\/options\/chart-data\.ts|web\/src\/domain\/dashboards\/(interaction-changes|cells\/(cell-columns|cell-problem|row-opening|scroll-place|no-data)|cells\/.*\.module\.css)|web\/src\/(features\/dashboards\/(cell-frame|presenting\/stage)|ui\/chart\/chart)\.module\.css/,
    minShareCount: 2,
  },
  { name: 'page', test: /web\/src\/ui\/page\//, minShareCount: 4 },
  { name: 'lists', test: /web\/src\/ui\/table\//, minShareCount: 4 },
]

export default defineConfig({
  plugins: [react({ jsxImportSource: '#jsx' }), inlineColorScheme, preloadFont, precompress],
  css: { postcss: { plugins: [mantine()] } },
  build: {
    target: 'es2023',
    // Always files: the content security policy allows no fonts from data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // In kB, before compression: the whole first load is one file.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      // The calendar looks for a default export of rrule before it uses the named one.
      checks: { importIsUndefined: false },
      output: { codeSplitting: { groups } },
    },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
