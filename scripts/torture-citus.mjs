// `npm run torture:citus`: moves accounts of a Citus cluster, adds a worker and stops another while users and jobs are at
// work, and checks that nothing is lost or doubled. Takes about half an hour. Set:
//   DATABASE_URL_TEST  the URL of the coordinator, as a role that may create databases and extensions on all nodes
//   WORKER             host:port of the worker to stop, as in pg_dist_node
//   WORKER_STOP        the shell command that stops it at once, such as "ssh node2 pg_ctl -D /data stop -m immediate"
//   WORKER_START       the shell command that starts it again
//   ROUNDS             how often it is stopped in the middle of jobs (default 3, at most 6)
import { install } from './install.mjs'
import { main, run, Trouble } from './run.mjs'

await main(async () => {
  const missing = ['DATABASE_URL_TEST', 'WORKER', 'WORKER_STOP', 'WORKER_START'].filter((name) => !process.env[name])
  if (missing.length > 0) {
    throw new Trouble(`Set ${missing.join(', ')}: the beginning of scripts/torture-citus.mjs says to what.`)
  }
  await install()
  return run('vitest', ['run', '--config', 'server/test/cluster-torture/vitest.config.ts'])
})
