// `npm start`: from a fresh clone to a running portal.
import { constants } from 'node:os'
import { build, install } from './install.mjs'
import { main, onStop, portalEnvironment, portalFlags, portalNode, start } from './run.mjs'

await main(async () => {
  await install()
  await build()
  return serve()
})

/** @returns {Promise<number>} the portal's exit code */
function serve() {
  const args = [...portalFlags, 'server/src/main.ts', ...process.argv.slice(2)]
  const portal = start(portalNode(), args, portalEnvironment)
  onStop((signal) => portal.kill(signal))
  return new Promise((resolve, reject) => {
    portal.once('error', reject)
    portal.once('exit', (code, signal) => resolve(signal ? 128 + constants.signals[signal] : (code ?? 1)))
  })
}
