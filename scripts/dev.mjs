// `npm run dev`: the server, restarted on each change, behind the web app's development server. Builds the page script
// once.
import { buildPageScript, install } from './install.mjs'
import { main, onStop, portalEnvironment, portalFlags, portalNode, start } from './run.mjs'

await main(async () => {
  await install()
  await buildPageScript()
  const server = [...portalFlags, '--watch', '--watch-preserve-output', 'server/src/main.ts']
  const both = [
    start(portalNode(), server, portalEnvironment),
    start('npm', ['run', 'dev', '--workspace', 'web', '--silent', '--', '--clearScreen', 'false']),
  ]
  const stop = () => {
    for (const each of both) each.kill('SIGTERM')
  }
  // Both also get Ctrl-C from the terminal; a second signal is harmless.
  onStop(stop)
  const ends = both.map(
    (each) =>
      /** @type {Promise<void>} */ (
        new Promise((resolve, reject) => {
          each.once('error', reject)
          each.once('exit', () => resolve())
        })
      ),
  )
  // If one ends, stop the other too.
  await Promise.race(ends)
  stop()
  await Promise.all(ends)
  return 0
})
