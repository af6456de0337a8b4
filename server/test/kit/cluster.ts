import pg from 'pg'

// Databases on a Citus cluster: each node needs the database and the extension, and the coordinator its list of nodes.

// Any number; the same in every test process.
const copyLock = 7_215_094

/** Returns the URLs of all nodes of the cluster, the coordinator first; null for PostgreSQL alone. */
export async function clusterNodes(coordinator: string): Promise<string[] | null> {
  return onDatabase(coordinator, async (client) => {
    const { rowCount: hasCitus } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`)
    if (!hasCitus) return null
    const { rows } = await client.query<{ host: string; port: number }>(
      `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
       WHERE groupid <> 0 AND noderole = 'primary' ORDER BY groupid`,
    )
    if (rows.length === 0) throw new Error('The cluster has no workers: add them with citus_add_node.')
    return [coordinator, ...rows.map(({ host, port }) => nodeUrl(coordinator, host, port))]
  })
}

/** Creates an empty database on all nodes. */
export async function createOnCluster(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes) {
    await onDatabase(node, (client) => client.query(`CREATE DATABASE ${name}`))
    await onDatabase(withDatabase(node, name), (client) => client.query('CREATE EXTENSION citus'))
  }
  const [coordinator = '', ...workers] = nodes.map((node) => new URL(node))
  await onDatabase(withDatabase(String(coordinator), name), async (client) => {
    const { hostname, port } = new URL(coordinator)
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [hostname, Number(port || 5432)])
    for (const worker of workers) {
      await client.query('SELECT citus_add_node($1, $2)', [worker.hostname, Number(worker.port || 5432)])
    }
  })
}

/** Blocks connections to a database, including those of Citus, so it can be copied. */
export async function closeOnCluster(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes) {
    await onDatabase(node, async (client) => {
      await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND backend_type LIKE 'Citus%'`,
        [name],
      )
    })
  }
}

/** Copies a closed database on all nodes, including the metadata that Citus has of its nodes and tables. */
export async function copyOnCluster(nodes: readonly string[], template: string, name: string): Promise<void> {
  await Promise.all(nodes.map((node) => onDatabase(node, (client) => copyDatabase(client, template, name))))
}

/** Copies a database without connections. */
async function copyDatabase(client: pg.Client, template: string, name: string): Promise<void> {
  // A template must not be in use, and copying it counts as use.
  await client.query('SELECT pg_advisory_lock($1)', [copyLock])
  await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
}

/** Drops a database on all nodes. */
export async function dropOnCluster(nodes: readonly string[], name: string): Promise<void> {
  for (const node of nodes) {
    await onDatabase(node, async (client) => {
      const { rowCount: exists } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name])
      // Otherwise Citus, which maintains each database, would reconnect at once.
      if (exists && nodes.length > 1) await client.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
      await drop(client, name)
    })
  }
}

/** Ends all connections and drops. A process of Citus that is just starting is ended in the next try. */
async function drop(client: pg.Client, name: string, triesLeft = 3): Promise<void> {
  try {
    await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  } catch (error) {
    const isInUse = error instanceof pg.DatabaseError && error.code === '55006'
    if (!isInUse || triesLeft === 1) throw error
    await drop(client, name, triesLeft - 1)
  }
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url)
  changed.pathname = `/${name}`
  return changed.href
}

function nodeUrl(coordinator: string, host: string, port: number): string {
  const url = new URL(coordinator)
  url.hostname = host
  url.port = String(port)
  return url.href
}

/** Runs `work` on a separate connection. */
export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: 'portico tests' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
