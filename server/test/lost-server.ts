import type pg from 'pg'

/** What a coordinator says when it cannot reach the server of an account. */
export const coordinatorMessage =
  'connection to the remote node portico_role@10.9.8.7:5433 failed with the following error: Connection refused'

/**
 * Makes the statements of one account fail as those of a cluster do while the server of the account is away. Its tables are
 * set aside behind views that raise the coordinator's error. `comeBack` undoes it.
 */
export async function loseServer(pool: pg.Pool, account: number): Promise<{ comeBack: () => Promise<void> }> {
  const [schema, kept] = [`account_${account}`, `kept_${account}`]
  const raise = `RAISE EXCEPTION '${coordinatorMessage}' USING ERRCODE = '08006'`
  const { rows } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  const views = rows.flatMap(({ name }) => [
    `CREATE VIEW ${schema}.${name} AS SELECT * FROM ${kept}.${name} WHERE ${schema}.reached()`,
    `CREATE TRIGGER away INSTEAD OF INSERT OR UPDATE OR DELETE ON ${schema}.${name} FOR EACH ROW
     EXECUTE FUNCTION ${schema}.refuse()`,
  ])
  await pool.query(
    [
      'BEGIN',
      `ALTER SCHEMA ${schema} RENAME TO ${kept}`,
      `CREATE SCHEMA ${schema}`,
      `CREATE FUNCTION ${schema}.reached() RETURNS boolean LANGUAGE plpgsql STABLE AS $$ BEGIN ${raise}; END $$`,
      `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${raise}; END $$`,
      ...views,
      'COMMIT',
    ].join(';\n'),
  )
  return {
    async comeBack() {
      await pool.query(`BEGIN; DROP SCHEMA ${schema} CASCADE; ALTER SCHEMA ${kept} RENAME TO ${schema}; COMMIT`)
    },
  }
}
