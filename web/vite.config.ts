import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import react from '@vitejs/plugin-react'
import mantine from 'postcss-preset-mantine'
import { defineConfig, type Plugin } from 'vite'

/** Asks for the text's font together with the page instead of after the styles: no flash of another font. */
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

/** Below this a compressed file is hardly smaller than its headers. */
const compressFromBytes = 1024

/** Lays `.br` and `.gz` beside scripts and styles: smaller than what the server could make while somebody waits. */
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

export default defineConfig({
  plugins: [react(), preloadFont, precompress],
  css: { postcss: { plugins: [mantine()] } },
  build: {
    target: 'es2023',
    // Files only: the content security policy takes neither inline scripts nor fonts from data URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080' } },
})
