import type pg from 'pg'

/** The message of a coordinator that cannot reach the server of an account. */
export const coordinatorMessage =
  'connection to the remote node portico_role@10.9.8.7:5433 failed with the following error: Connection refused'

/**
 * Makes the statements of one account fail as those of a cluster do while the server of the account is away: a row security
 * policy of its tables raises the coordinator's error. `comeBack` undoes it. Superusers would not be held up.
 */
export async function loseServer(pool: pg.Pool, account: number): Promise<{ comeBack: () => Promise<void> }> {
  const schema = `account_${account}`
  const { rows } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  const onEach = (statements: (table: string) => string[]) =>
    rows.flatMap(({ name }) => statements(`${schema}.${name}`))
  await runTogether(pool, [
    `CREATE FUNCTION ${schema}.reached() RETURNS boolean LANGUAGE plpgsql STABLE AS
     $$ BEGIN RAISE EXCEPTION '${coordinatorMessage}' USING ERRCODE = '08006'; END $$`,
    ...onEach((table) => [
      `CREATE POLICY away ON ${table} USING (${schema}.reached())`,
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`,
      `ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`,
    ]),
  ])
  return {
    async comeBack() {
      await runTogether(pool, [
        ...onEach((table) => [
          `DROP POLICY away ON ${table}`,
          `ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`,
          `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
        ]),
        `DROP FUNCTION ${schema}.reached()`,
      ])
    },
  }
}

async function runTogether(pool: pg.Pool, statements: string[]): Promise<void> {
  await pool.query(['BEGIN', ...statements, 'COMMIT'].join(';\n'))
}
