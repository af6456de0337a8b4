import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { type Database, inTransaction, isDatabaseFull } from '../database.ts'
import type { Logger } from '../log.ts'
import type { Storage } from '../storage.ts'

type Deps = { database: Database; storage: Storage; log: Logger }

/** Bytes written to find out whether a disk is full: others may need the last of them. */
const triedBytes = 64 * 1024 ** 2
const pieceBytes = 1024 ** 2

/**
 * Returns whether a disk has room again that was full during an attempt, of which nothing is left on it: that of the
 * database or that of the storage, as `error` says. Tried by writing 64 MB there, which are removed at once: neither says
 * how much is free. `key`: of the file that the attempt has failed to write.
 */
export async function hasRoomAgain({ database, storage, log }: Deps, error: unknown, key: string): Promise<boolean> {
  try {
    if (isDatabaseFull(error)) await writeTemporaryTable(database)
    else await writeFile(storage, key)
    return true
  } catch (refusal) {
    log.warn({ err: refusal }, 'a full disk has no room for a trial')
    return false
  }
}

async function writeTemporaryTable({ db }: Database): Promise<void> {
  await inTransaction(db, async (tx) => {
    await sql`CREATE TEMPORARY TABLE room (piece text) ON COMMIT DROP`.execute(tx)
    // Not compressed.
    await sql`ALTER TABLE pg_temp.room ALTER COLUMN piece SET STORAGE EXTERNAL`.execute(tx)
    const pieces = sql`generate_series(1, ${triedBytes / pieceBytes}::int)`
    await sql`INSERT INTO pg_temp.room SELECT repeat('-', ${pieceBytes}::int) FROM ${pieces}`.execute(tx)
  })
}

async function writeFile(storage: Storage, key: string): Promise<void> {
  const piece = Buffer.alloc(pieceBytes)
  await storage.put(key, Readable.from(Array.from({ length: triedBytes / pieceBytes }, () => piece)))
  await storage.remove(key)
}
