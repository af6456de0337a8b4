// `npm run dev`: the server, started again at each change, and the web app's development server in front of it.
import { install } from './install.mjs'
import { main, onStop, portalEnvironment, portalFlags, portalNode, start } from './run.mjs'

await main(async () => {
  await install()
  const server = [...portalFlags, '--watch', '--watch-preserve-output', 'server/src/main.ts']
  const both = [
    start(portalNode(), server, portalEnvironment),
    start('npm', ['run', 'dev', '--workspace', 'web', '--silent', '--', '--clearScreen', 'false']),
  ]
  const stop = () => {
    for (const each of both) each.kill('SIGTERM')
  }
  // Each of them gets Ctrl-C from the terminal too; being told twice does no harm.
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
  // One without the other is of no use.
  await Promise.race(ends)
  stop()
  await Promise.all(ends)
  return 0
})
